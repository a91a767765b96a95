#if HTTP || Everything
import Synchronization
import UV
import UVHTTP

/// A page about loops that is being served; see ``Diagnostics/listen(on:)``.
public final class DiagnosticsServer: Sendable {
  /// Where the page is, with its token. For a socket of the Unix domain the host is `localhost`:
  /// `curl --unix-socket PATH URL`.
  public let url: String
  private let threads = LoopThreads()
  private let executor: LoopExecutor

  init(_ diagnostics: Diagnostics, _ address: DiagnosticsAddress) throws(UVError) {
    let outcome = Mutex<Result<String, UVError>>(.failure(UVError(.loopClosed, operation: "listen")))
    // Waits until `begin` has returned, on the loop's thread.
    executor = try threads.start { loop in
      let begun = Result { () throws(UVError) in try Self.begin(loop, diagnostics, address) }
      outcome.withLock { $0 = begun }
    }
    do throws(UVError) {
      url = "http://\(try outcome.withLock { $0 }.get())/?token=\(diagnostics.token)"
    } catch {
      executor.stop()
      throw error
    }
  }

  /// Serves no more. Requests that are under way are cut off. Calling this function again does nothing more.
  ///
  /// The corresponding libuv function is `uv_close`.
  public func close() { executor.stop() }

  /// Waits for the end of the thread.
  package func ended() async { await threads.ended() }

  /// Begins to listen; the host and the port in the page's URL.
  private static func begin(
    _ loop: EventLoop, _ diagnostics: Diagnostics, _ address: DiagnosticsAddress
  ) throws(UVError) -> String {
    let handler = try DiagnosticsHandler(diagnostics, loop)
    var limits = HTTPLimits()
    limits.connections = 64
    limits.body = 0
    let server: HTTPServer
    let place: String
    switch address {
    case .port(let port, let host):
      server = try loop.http.listen(host: host, port: port, limits: limits)
      place = "\(try server.localAddress())"
    case .unix(let path):
      server = loop.http.serve(try loop.pipes.listen(path: path, replacesStale: true), limits: limits)
      place = "localhost"
    }
    // The source keeps itself while somebody asks.
    server.start { result in
      if case .success(let exchange?) = result { handler.answer(exchange) { _ in } }
    }
    watch(diagnostics.executors, loop)
    return place
  }

  /// Ends the loop a second after those that it looks at at the latest.
  private static func watch(_ executors: [LoopExecutor], _ loop: EventLoop) {
    _ = loop.sleepQuietly(for: .seconds(1)) { [unowned loop] result in
      guard case .success = result else { return }
      if executors.allSatisfy(\.hasEnded) { loop.stop() } else { watch(executors, loop) }
    }
  }
}
#endif
