import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

/// Sources that are let go of on another thread.
@Suite struct ReleasedSourceTests {
  @Test("A listener or a watcher whose last reference goes elsewhere is not called any more")
  func idleHandlesThatGoElsewhere() async throws {
    try await withLoop { loop in
      for round in 0..<100 {
        let listener = Box<TCPListener>(try loop.tcp.listen(host: "127.0.0.1", port: 0))
        let watcher = Box<SignalWatcher>(try loop.signals(Signal(rawValue: SIGWINCH)))
        let address = try listener.value!.localAddress()
        let client = loop.tcp.connect(to: address)
        let connecting = loop.spawn { () async throws(UVError) in try await client.value }
        DispatchQueue.global().async {
          watcher.value = nil
          listener.value = nil
        }
        kill(getpid(), SIGWINCH)
        if round % 2 == 0 { try await loop.sleep(for: .zero).value }
        // It is accepted by the system's queue, or refused or reset when the listener has gone.
        if let connection = try? await connecting.value { connection.close() }
        try await loop.until { loop.statistics.handles == 0 }
      }
    }
  }
}
