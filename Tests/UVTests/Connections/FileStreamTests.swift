import Foundation
import Testing
import UVTestSupport

@testable import UV

/// Streams over files, such as a standard stream that the shell has led into a file. They keep the rules of other streams.
@Suite struct FileStreamTests {
  private nonisolated(nonsending) func open(
    _ loop: EventLoop, _ path: String, _ access: FileDescriptor.AccessMode = .readWrite
  ) async throws -> FileStream {
    let options: FileDescriptor.OpenOptions = access == .readOnly ? [] : [.create]
    return try FileStream(
      try await loop.files.open(path, access, options: options, permissions: .ownerReadWrite).value)
  }

  @Test func `A file has all that was written before its stream was closed, however much waits`() async throws
  {
    try await withLoopAndDirectory { loop, path in
      for count in [0, 1, 3] {
        let stream = try await open(loop, "\(path)/\(count)", .writeOnly)
        let log = Log<Int>()
        for number in 0..<count {
          stream.write(Bytes(Array(repeating: UInt8(number), count: 100_000))) {
            if case .success = $0 { log.append(number) }
          }
        }
        try await stream.close().value
        #expect(log.values == Array(0..<count))
        let expected = (0..<count).flatMap { Array(repeating: UInt8($0), count: 100_000) }
        #expect(try await Array(loop.files.readFile("\(path)/\(count)").value) == expected)
      }
    }
  }

  @Test func `A file's bytes come in order, and then its end, also again`() async throws {
    try await withLoopAndDirectory { loop, path in
      let bytes = Bytes((0..<200_001).map { UInt8($0 % 251) })
      try await loop.files.writeFile("\(path)/file", bytes).value
      let stream = try await open(loop, "\(path)/file", .readOnly)
      var all: [UInt8] = []
      for try await part in stream { all += Array(part) }
      #expect(all == Array(bytes))
      #expect(try await stream.next().value == nil)
      await #expect(throws: UVError.self) { try await stream.write("x").value }
      try await stream.close().value
    }
  }

  @Test func `A stream that closes while it reads or writes closes its file, and answers everybody`()
    async throws
  {
    try await withLoopAndDirectory { loop, path in
      try await loop.files.writeFile("\(path)/file", Bytes(Array(repeating: 1, count: 300_000))).value
      for isWriting in [false, true] {
        let stream = try await open(loop, "\(path)/file")
        let log = Log<String>()
        stream.next { _ in log.append("read") }
        if isWriting { stream.write("x") { _ in log.append("write") } }
        try await stream.close().value
        try await loop.settle()
        #expect(log.values.sorted() == (isWriting ? ["read", "write"] : ["read"]))
        await #expect(throws: UVError.self) { try await stream.write("x").value }
      }
    }
  }
}
