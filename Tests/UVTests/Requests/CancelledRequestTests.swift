import Foundation
import Testing
import UV
import UVTestSupport

/// Requests that are cancelled too late, or twice.
@Suite struct CancelledRequestTests {
  @Test func `To cancel what has completed does nothing, also after its loop has gone`() async throws {
    try await withThread {
      let loop = try EventLoop()
      var pending: [PendingRequest] = []
      try loop.runCallbacks { loop in
        pending.append(loop.work({ 1 }) { _ in })
        pending.append(loop.random(8) { _ in })
        pending.append(try loop.dns.nameInfo(of: SocketAddress("127.0.0.1", port: 1)) { _ in })
        pending.append(loop.files.readFile("/etc/hosts") { _ in })
      }
      for request in pending { request.cancel() }
      loop.shutdown()
      for request in pending { request.cancel() }
    }
  }

  @Test("Work that is cancelled while it waits for a thread, and cancelled again, is answered once")
  func cancelledTwice() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      var pending = PendingRequest()
      try await withBusyPool(of: loop) {
        pending = loop.work({ 1 }) { log.append($0.error?.name ?? "ok") }
        pending.cancel()
        try await loop.sleep(for: .zero).value
        pending.cancel()
      }
      _ = try await loop.work { 2 }.value
      pending.cancel()
      // The request list is whole.
      _ = try await loop.work { 3 }.value
    }
    #expect(log.values == ["ECANCELED"])
  }
}
