import Foundation
import Testing
import UV
import UVTestSupport

/// Each operation on each kind of thing that may be at a path.
@Suite struct FileKindTests {
  @Test(
    "Each operation on each kind of file ends as the model says, and leaves the pool's threads free",
    .onTheMachine("mkfifo, devices and names of other bytes"), arguments: FileOperation.allCases)
  func each(_ operation: FileOperation) async throws { try await Self.check(operation) }

  @Test(
    "So it does for a user who isn't root", .onTheMachine("mkfifo, devices and names of other bytes"),
    .enabled(if: geteuid() == 0), arguments: FileOperation.allCases)
  func eachForOthers(_ operation: FileOperation) async {
    await #expect(processExitsWith: .success) { [name = operation.rawValue as String] in
      // As good as any number that isn't root's.
      guard setgid(65534) == 0, setuid(65534) == 0 else { exit(2) }
      try await Self.check(FileOperation(rawValue: name)!)
    }
  }

  private static func check(_ operation: FileOperation) async throws {
    var holes: [String] = []
    for kind in FileKind.allCases {
      guard let expected = operation.expectation(of: kind) else {
        holes.append(kind.rawValue)
        continue
      }
      try await withTemporaryDirectory { directory in
        let path = try kind.make(in: directory)
        let found = try await withLoop { loop in
          do throws(UVError) { try await operation.run(loop, on: path, in: directory) } catch {
            return error.name
          }
          return "ok"
        }
        #expect(found == expected, "\(operation) on \(kind)")
        // The run has waited for a copy that was given up, and for its removal.
        if operation == .copyFrom, expected != "ok" {
          #expect(access(directory + "/other", F_OK) != 0, "\(operation) of \(kind)")
        }
        if operation == .writeAtomically, kind.isLink {
          var status = Foundation.stat()
          #expect(lstat(directory + "/" + kind.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        }
        // Nothing is left of a temporary file.
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(!names.contains { $0.hasPrefix(".uv-") })
      }
    }
    if !holes.isEmpty { print("files of every kind: \(operation) isn't tried on \(holes)") }
  }

  @Test(
    "A FIFO stops neither the loop nor the pool, and the error says what to do",
    .onTheMachine("mkfifo"))
  func manyFIFOs() async throws {
    try await withTemporaryDirectory { directory in
      let fifo = directory + "/fifo"
      mkfifo(fifo, 0o600)
      try await withLoop { loop in
        for _ in 0..<(2 * poolThreads) {
          do throws(UVError) {
            _ = try await loop.files.readFile(fifo).timeout(after: .seconds(20)).value
            Issue.record("a FIFO was read")
          } catch {
            #expect(error.code == .invalidArgument && error.subject == fifo)
            #expect(error.message.contains("FIFO") && error.message.contains("O_NONBLOCK"))
          }
        }
        _ = try await loop.files.stat(directory).value
        // A caller that asks for it has it, and a read that would wait fails.
        let file = try await loop.files.open(fifo, .readWrite, options: .nonBlocking).value
        await expectError(.wouldBlock, of: try await file.read(1).value)
        try await file.close().value
      }
    }
  }

  @Test(
    "An error of an operation with two paths names both, the missing one among them",
    .onTheMachine("links"))
  func bothPaths() async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let (file, nowhere) = (directory + "/file", directory + "/none/file")
        try await loop.files.writeFile(file, "text").value
        func subject<T>(_ request: Request<T>) async throws -> String? {
          do throws(UVError) { _ = try await request.value } catch {
            #expect(error.code == .noSuchFile)
            return error.subject
          }
          return nil
        }
        for two in [(file, nowhere), (nowhere, file)] {
          let both = "\(two.0) -> \(two.1)"
          #expect(try await subject(loop.files.rename(two.0, to: two.1)) == both)
          #expect(try await subject(loop.files.link(two.0, to: two.1)) == both)
          #expect(try await subject(loop.files.copyfile(two.0, to: two.1)) == both)
        }
        #expect(try await subject(loop.files.symlink(to: file, at: nowhere)) == "\(nowhere) -> \(file)")
      }
    }
  }

  @Test("The times of a file are set to the nanosecond, so that a copy isn't older than its original")
  func times() async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let path = directory + "/file"
        let file = try await loop.files.open(path, .readWrite, options: .create).value
        let time = Duration.seconds(1_800_000_000) + .nanoseconds(123_456_789)
        let before1970 = Duration.zero - .nanoseconds(1)
        for modified in [time, .zero, before1970] {
          try await loop.files.utime(path, accessTime: time, modificationTime: modified).value
          #expect(try await loop.files.stat(path).value.modificationTime == modified)
          try await loop.files.lutime(path, accessTime: modified, modificationTime: time).value
          #expect(try await loop.files.stat(path).value.modificationTime == time)
          try await file.utime(accessTime: time, modificationTime: modified).value
          #expect(try await file.stat().value.modificationTime == modified)
          #expect(try await file.stat().value.accessTime == time)
        }
        try await file.close().value
      }
    }
  }
}
