import Foundation
import Testing
import UV
import UVTestSupport

/// A loop counts the bytes that its streams carry: each once, in whichever way it goes.
@Suite struct ByteCountTests {
  enum Way: CaseIterable {
    case write, buffers, gathered, waiting, tried, task, file, largeFile
  }

  private static let large = 4 << 20

  /// Writes in one way. Returns how many bytes that is; they have left once the other end has them.
  private nonisolated(nonsending) func write(
    _ way: Way, to stream: ByteStream, _ file: File
  ) async throws -> Int {
    switch way {
    case .write:
      try await stream.write("12345").value
      return 5
    case .buffers:
      try await stream.write(["123", "", "4567"]).value
      return 7
    case .gathered:
      for _ in 0..<10 { stream.write("123") { _ in } }
      return 30
    case .waiting:
      stream.write(Bytes(repeating: 1, count: Self.large)) { _ in }
      return Self.large
    case .tried: return try stream.tryWrite("123456")
    case .task:
      let task = stream.loop.spawn { () async throws(UVError) in
        for _ in 0..<3 { try await stream.write("1").value }
      }
      try await task.value
      return 3
    case .file: return try await stream.sendfile(file, count: 1000).value
    case .largeFile:
      stream.sendfile(file, count: Self.large) { _ in }
      return Self.large
    }
  }

  @Test(arguments: Way.allCases, [false, true])
  func `Each byte that is written and read counts once`(way: Way, isPipe: Bool) async throws {
    try await withLoopAndDirectory { loop, folder in
      let path = "\(folder)/file"
      try await loop.files.writeFile(path, Bytes(repeating: 7, count: Self.large)).value
      let file = try await loop.files.open(path).value
      let (near, far): (ByteStream, ByteStream)
      if isPipe {
        (near, far) = try loop.pipes.socketPair()
      } else {
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        near = try await loop.tcp.connect(to: listener.localAddress()).value
        far = try await listener.accept().value
        listener.close()
      }
      let before = loop.statistics
      let count = try await write(way, to: near, file)
      #expect(try await far.read(exactly: count).value?.count == count)
      try await near.drain().value
      try await loop.until { loop.statistics.bytesWritten - before.bytesWritten >= count }
      #expect(loop.statistics.bytesWritten - before.bytesWritten == count)
      #expect(loop.statistics.bytesRead - before.bytesRead == count)
      for stream in [near, far] { stream.close() }
      try await file.close().value
    }
  }

  @Test(arguments: [false, true])
  func `A connection that is closed by a reset fails its peer's reader, in each style`(byCallback: Bool)
    async throws
  {
    try await withPair { loop, client, server in
      if byCallback {
        let log = Log<Bool>()
        client.closeReset { log.append($0.error == nil) }
        try await loop.until { log.values == [true] }
      } else {
        try await client.closeReset().value
      }
      await expectError(.connectionReset, of: try await server.next().value)
    }
  }
}
