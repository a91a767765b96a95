#if HTTP || Everything
public import UV

/// The state of loops as a page for people, as JSON and as figures for Prometheus. These settings say who may
/// see it, and how it is served.
///
/// ```swift
/// try loop.configure(.lag)
/// let page = try loop.diagnostics.listen(on: .port(9090))
/// print(page.url)  // http://127.0.0.1:9090/?token=0e1f…
/// ```
///
/// | Path | What |
/// |---|---|
/// | `/` | the page, which looks anew each second |
/// | `/snapshot.json` | the same as JSON: for each loop its figures, its turns as a histogram, its stalls, and a `LoopSnapshot` |
/// | `/metrics` | Prometheus' text format, with the names that `reportMetrics` of `UVService` has |
///
/// Nothing is shown unless you ask for it by ``listen(on:)`` or ``handler(on:)``. Each request needs the token,
/// as `Authorization: Bearer TOKEN` or as `?token=TOKEN`. The name of the host that is asked for must be one of
/// ``hosts``, an address or `localhost`, so that a site that a browser shows can't reach the page by a name of
/// its own.
///
/// A loop is asked when somebody looks, and does nothing for this at other times.
public struct Diagnostics: Sendable {
  /// The loops to look at, in the order in which they are shown. Add those of a group to show all on one page.
  /// Loops of one name get a number: `worker`, `worker 2`.
  public var executors: [LoopExecutor]
  /// The secret that a request must carry: 16 or more of the letters, digits and `-._~`. The default is made at random,
  /// for each value anew. Set one of your own if it is configured elsewhere, as for Prometheus.
  public var token = Diagnostics.randomToken()
  /// The names of this machine in URLs, in addition to addresses and `localhost`; none by default.
  public var hosts: [String] = []
  /// How many tasks of each loop are listed, how many handles, and so on, 0 or more; 50 by default. All are counted.
  public var limit = 50
  /// How long to wait for the answers of loops, more than 0; 300 ms by default. A loop that hasn't answered by then
  /// is shown as silent, with the time since it hasn't, and the function that blocks it if `watchStalls` of
  /// `UVStalls` has found it.
  public var patience = Duration.milliseconds(300)

  /// Creates a value that looks at loops.
  public init(_ executors: [LoopExecutor]) { self.executors = executors }

  private static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef")
    return String((0..<32).map { _ in digits.randomElement(using: &generator)! })
  }

  /// Answers the requests of a server of yours. Give it those that have a path of your choice.
  ///
  /// ```swift
  /// let diagnostics = try loop.diagnostics.handler(on: loop)
  /// for try await exchange in server {
  ///   if exchange.request.path?.hasPrefix("/diagnostics/") == true {
  ///     diagnostics.answer(exchange) { _ in }
  ///   } else { … }
  /// }
  /// ```
  ///
  /// A server on a loop that is stuck can't show so. Let ``listen(on:)`` serve the page if that matters.
  ///
  /// - Parameter loop: The server's loop, whose thread this is.
  /// - Throws: `invalidArgument` for a token that is too short or has other characters.
  public func handler(on loop: EventLoop) throws(UVError) -> DiagnosticsHandler {
    try DiagnosticsHandler(self, loop)
  }

  /// Serves the page from a loop on a thread of its own, so that it answers when the others don't. You can call
  /// it on any thread.
  ///
  /// It is served until ``DiagnosticsServer/close()``, or until a second after the last of the loops has ended.
  /// It keeps none of them running, and you needn't keep the server.
  ///
  /// - Parameter address: Where to listen.
  /// - Throws: The errors of `HTTP.listen`, such as `addressInUse`, and those of `Pipes.listen`; `invalidArgument`
  ///   for a token that is too short or has other characters; `wouldBlock`, `outOfMemory` or `tooManyOpenFiles`
  ///   if the system has no thread, memory or descriptor left.
  @discardableResult
  public func listen(on address: DiagnosticsAddress) throws(UVError) -> DiagnosticsServer {
    try DiagnosticsServer(self, address)
  }
}

/// Where a page about loops is served.
public enum DiagnosticsAddress: Hashable, Sendable {
  /// A port of TCP, 0…65535; 0 lets the system choose. `host` is the address to bind: this machine's own, which
  /// others can't reach, unless you name another.
  case port(Int, host: String = "127.0.0.1")
  /// A socket of the Unix domain. The file of a socket that nobody listens on any more is replaced.
  case unix(path: FilePath)
}

extension EventLoop {
  /// A page about this loop; see ``Diagnostics``.
  public var diagnostics: Diagnostics { Diagnostics([executor]) }
}

extension EventLoopGroup {
  /// A page about all loops of the group; see ``Diagnostics``.
  public var diagnostics: Diagnostics { Diagnostics(executors) }
}
#endif
