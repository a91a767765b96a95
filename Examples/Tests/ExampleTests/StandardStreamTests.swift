import Foundation
import Testing

/// The example that copies its standard input, with every kind of thing that a standard stream can be.
@Suite struct StandardStreamTests {
  static let styles = ["callback", "promise", "publisher", "async"]

  static func shell(_ command: String) throws -> (output: String, status: Int32) {
    try runProgram(URL(fileURLWithPath: "/bin/bash"), ["-c", command])
  }

  static func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "swift-uv-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }

  static var copy: String { get throws { try Checkout.program("Copy").path } }

  @Test("Files are standard streams", arguments: styles)
  func files(style: String) throws {
    try Self.withTemporaryDirectory { directory in
      let (from, to) = ("\(directory)/from", "\(directory)/to")
      // It takes several reads, and the last one is short.
      let text = Data((0..<300_001).map { UInt8(truncatingIfNeeded: $0 / 3) })
      try text.write(to: URL(fileURLWithPath: from))
      let (output, status) = try Self.shell("\(Self.copy) \(style) < \(from) > \(to)")
      #expect(output.isEmpty)
      #expect(status == 0)
      #expect(try Data(contentsOf: URL(fileURLWithPath: to)) == text)
      // At the file's own position, which others move too.
      let both = try Self.shell(
        "(echo first; \(Self.copy) \(style) < /dev/null; echo last) > \(to); cat \(to)")
      #expect(both.output == "first\nlast\n")
    }
  }

  @Test("Pipes are standard streams", arguments: styles)
  func pipes(style: String) throws {
    let (output, status) = try Self.shell("seq 20000 | \(Self.copy) \(style) | sha1sum; seq 20000 | sha1sum")
    let sums = output.split(separator: "\n")
    #expect(sums.count == 2)
    #expect(sums.first == sums.last)
    #expect(status == 0)
  }

  @Test("An error of the standard output is reported")
  func full() throws {
    let (output, _) = try Self.shell("echo hello | \(Self.copy) > /dev/full")
    #expect(output == "Copy: write: no space left on device (ENOSPC)\n")
  }

  @Test("A standard stream that is closed is the null device")
  func closed() throws {
    let (output, status) = try Self.shell("\(Self.copy) <&- >&- && echo done")
    #expect(output == "done\n")
    #expect(status == 0)
  }

  @Test("A standard stream that is of no use says so")
  func useless() throws {
    #expect(
      try Self.shell("\(Self.copy) < /").output
        == "Copy: open descriptor 0 (unknown, not a stream): invalid argument (EINVAL)\n")
  }

  #if os(Linux)
  @Test("A pipe's other users keep their blocking mode")
  func blockingModeOfPipes() throws {
    let (input, output) = (Pipe(), Pipe())
    let process = Process()
    process.executableURL = try Checkout.program("Copy")
    process.standardInput = input
    process.standardOutput = output
    // The child's ends, which this process would close.
    let ends = [
      dup(input.fileHandleForReading.fileDescriptor), dup(output.fileHandleForWriting.fileDescriptor),
    ]
    try process.run()
    input.fileHandleForWriting.write(Data("hello".utf8))
    #expect(output.fileHandleForReading.availableData == Data("hello".utf8))
    for end in ends {
      #expect(fcntl(end, F_GETFL) & O_NONBLOCK == 0)
      close(end)
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
  #endif

  @Test("A socket is non-blocking until the end, and blocking again afterwards")
  func sockets() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let process = Process()
    process.executableURL = try Checkout.program("Copy")
    process.standardInput = FileHandle(fileDescriptor: ends[1])
    process.standardOutput = FileHandle(fileDescriptor: ends[1])
    try process.run()
    let ours = FileHandle(fileDescriptor: ends[0])
    ours.write(Data("hello".utf8))
    #expect(ours.availableData == Data("hello".utf8))
    #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK != 0)
    shutdown(ends[0], Int32(SHUT_WR))
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
    close(ends[0])
    close(ends[1])
  }

  @Test("A terminal is a standard stream")
  func terminals() throws {
    let (control, descriptor) = try openPseudoTerminal()
    let process = Process()
    process.executableURL = try Checkout.program("Copy")
    process.standardInput = FileHandle(fileDescriptor: descriptor)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let keys = FileHandle(fileDescriptor: control)
    keys.write(Data("typed\n".utf8))
    #expect(output.fileHandleForReading.availableData == Data("typed\n".utf8))
    // The key that ends the input.
    keys.write(Data([4]))
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    close(control)
    close(descriptor)
  }
}
