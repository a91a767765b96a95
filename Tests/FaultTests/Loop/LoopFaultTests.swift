import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Loops that can't be made, and what closes while they end.
@Suite(.serialized) struct LoopFaultTests {
  @Test func `A loop that cannot be made leaves no descriptor and no memory`() async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    try await withThread {
      for name in ["epoll_create1", "pipe2", "eventfd"] {
        for nth in 1...2 {
          for round in 0..<20 {
            let before = Hooks.heapInUse ?? 0
            test_faults_arm(EMFILE, FaultLayer.system, nth, 1, name)
            let code: UVError.Code?
            do throws(UVError) {
              try EventLoop().shutdown()
              code = nil
            } catch { code = error.code }
            let fired = test_faults_disarm() > 0
            #expect(code == (fired ? .tooManyOpenFiles : nil), "\(name) \(nth)")
            // libuv itself loses its table of descriptors, about a kilobyte, where it gives up half-way.
            if round > 2 { #expect((Hooks.heapInUse ?? 0) - before < 4096, "\(name) \(nth)") }
          }
        }
      }
    }
  }

  @Test func `A caller that closes a handle while its loop shuts down is notified`() async throws {
    let log = Log<Bool>()
    try await withThread {
      let loop = try EventLoop()
      // Nobody waits for these, before the last is closed.
      let idle = try (0..<5).map { _ in try loop.udp.bind(host: "127.0.0.1", port: 0) }
      let last = try loop.udp.bind(host: "127.0.0.1", port: 0)
      last.next { _ in for socket in idle { socket.close { log.append($0.error == nil) } } }
      loop.shutdown()
    }
    #expect(log.values == [true, true, true, true, true])
  }
}
