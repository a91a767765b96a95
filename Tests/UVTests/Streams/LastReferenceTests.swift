import Foundation
import Testing
import UV
import UVTestSupport

/// Streams that nobody refers to any more.
@Suite struct LastReferenceTests {
  enum Ending: CaseIterable {
    case nothing, shutdown, shutdownBehindWrite, drained, cancelledWrite, sendfile, reader, peersEnd
  }

  /// Uses a stream, and lets go of it.
  private nonisolated(nonsending) func use(
    _ ending: Ending, _ loop: EventLoop, _ near: consuming ByteStream, _ far: ByteStream
  ) async throws {
    let large = Bytes(repeating: 1, count: 4 << 20)
    switch ending {
    case .nothing: break
    case .shutdown: try await near.shutdown().value
    case .shutdownBehindWrite:
      near.write(large) { _ in }
      let shutdown = near.shutdown().start { _ in }
      #expect(try await far.read(exactly: large.count).value?.count == large.count)
      #expect(try await far.next().value == nil)
      withExtendedLifetime(shutdown) {}
    case .drained:
      near.write(large) { _ in }
      let drain = near.drain().start { _ in }
      #expect(try await far.read(exactly: large.count).value?.count == large.count)
      withExtendedLifetime(drain) {}
    case .cancelledWrite:
      near.write(large) { _ in }
      near.write("more") { _ in }.cancel()
      #expect(try await far.read(exactly: large.count).value?.count == large.count)
    case .sendfile:
      let file = try await loop.files.open("/etc/passwd").value
      try await near.sendfile(file, count: 1000).value
      try await file.close().value
    case .reader:
      let reader = near.next { _ in }
      reader.cancel()
    case .peersEnd:
      try await far.shutdown().value
      #expect(try await near.next().value == nil)
    }
  }

  @Test(arguments: Ending.allCases, [false, true])
  func `A stream that nobody refers to closes once all that was asked of it is done`(
    ending: Ending, isPipe: Bool
  )
    async throws
  {
    try await withLoop { loop in
      func ends() async throws -> (ByteStream, ByteStream) {
        if isPipe { return try loop.pipes.socketPair() }
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let near = try await loop.tcp.connect(to: listener.localAddress()).value
        defer { listener.close() }
        return (near, try await listener.accept().value)
      }
      func useOne() async throws -> ByteStream {
        let (near, far) = try await ends()
        try await use(ending, loop, near, far)
        return far
      }
      let far = try await useOne()
      try await loop.until { loop.statistics.handles == 1 }
      #expect(loop.statistics.handles == 1, "\(loop.snapshot().handles.entries)")
      far.close()
    }
  }
}
