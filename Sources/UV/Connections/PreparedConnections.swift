/// Connections of a listener that have passed what comes before their protocol: the header of a load balancer,
/// or a handshake.
///
/// They are prepared side by side, and delivered in the order in which they are ready. One that fails, or that
/// takes too long, is closed alone. The listener accepts connections only while somebody asks, and while there
/// is a place. Closing this source closes the listener.
public final class PreparedConnections<Connection: ByteStream>: _SentSource<Connection>, ConnectionSource {
  private let core: PreparationCore<Connection>

  /// - Parameters:
  ///   - limit: How many may be prepared at a time, 1 or more.
  ///   - onFailure: Called with the error of each that fails.
  ///   - prepare: What to do with each. The connection is closed if it fails.
  package init<Base: ConnectionSource>(
    _ base: Base, limit: Int, onFailure: @escaping (UVError) -> Void,
    prepare: @escaping (Base.Element) -> Request<Connection>
  ) throws(UVError) where Base.Failure == UVError {
    guard limit >= 1 else { throw UVError(.invalidArgument, operation: "accept", subject: "limit \(limit)") }
    let core = PreparationCore<Connection>(base, limit: limit, onFailure, prepare)
    self.core = core
    super.init(
      CustomSource(base.loop, "accept") {
        core.resume($0)
      } pause: { _ in
        core.pause()
      })
  }

  /// The address at which the connections come.
  ///
  /// - Throws: The errors of the listener.
  ///
  /// The corresponding libuv function is `uv_tcp_getsockname`.
  public func localAddress() throws(UVError) -> SocketAddress { try core.address() }

  /// Closes the listener. Connections that aren't ready are closed; those that have been delivered stay open.
  ///
  /// - Returns: A request that succeeds when no more connections can come.
  ///
  /// The corresponding libuv function is `uv_close`.
  @discardableResult
  public func close() -> Request<Void> {
    core.end()
    source.finish()
    return core.close()
  }
}

/// Accepts connections while somebody asks, and prepares them.
private final class PreparationCore<Connection: ByteStream> {
  let address: () throws(UVError) -> SocketAddress
  let close: () -> Request<Void>
  /// Accepts until ``rest`` is called; each connection is prepared.
  private var accept: () -> Void = {}
  private let rest: () -> Void
  private let limit: Int
  private let onFailure: (UVError) -> Void
  /// The source, while somebody asks. It keeps itself alive for as long.
  private var source: CustomSource<Connection>?
  /// Those that are being prepared, by number.
  private var pending: [Int: PendingRequest] = [:]
  private var number = 0
  private var isAccepting = false
  private var isComplete = false
  private var hasEnded = false

  init<Base: ConnectionSource>(
    _ base: Base, limit: Int, _ onFailure: @escaping (UVError) -> Void,
    _ prepare: @escaping (Base.Element) -> Request<Connection>
  ) where Base.Failure == UVError {
    address = { () throws(UVError) in try base.localAddress() }
    var isClosed = false
    close = {
      let closing = base.close()
      // Connections that the listener has ready, and that nobody asks for any more.
      if !isClosed { base.start { if case .success(let connection?) = $0 { connection.close() } } }
      isClosed = true
      return closing
    }
    rest = { base.stop() }
    self.limit = limit
    self.onFailure = onFailure
    accept = { [unowned self] in
      base.start { [self] result in
        switch result {
        case .success(let connection?): begin(connection, prepare(connection))
        case .success(nil):
          isComplete = true
          finishIfDone()
        case .failure(let error): source.take()?.finish(error)
        }
      }
    }
  }

  func resume(_ source: CustomSource<Connection>) {
    self.source = source
    acceptMore()
  }

  func pause() {
    source = nil
    stopAccepting()
  }

  /// The source closes.
  func end() {
    hasEnded = true
    pause()
    for preparation in pending.values { preparation.cancel() }
  }

  private func acceptMore() {
    if source == nil || isAccepting || pending.count >= limit { return }
    isAccepting = true
    accept()
  }

  private func stopAccepting() {
    if !isAccepting { return }
    isAccepting = false
    rest()
  }

  private func begin(_ connection: ByteStream, _ preparation: Request<Connection>) {
    number += 1
    let number = number
    let keeper = source
    pending[number] = preparation.start { [self] result in
      pending[number] = nil
      switch result {
      case .success(let connection):
        // The reader has gone, but may come back.
        if hasEnded || (source ?? keeper)?.send(connection) != true { connection.close() }
      case .failure(let error):
        connection.close()
        if !hasEnded { onFailure(UVError(error.code, operation: "accept", message: error.message)) }
      }
      finishIfDone()
      acceptMore()
    }
    if pending.count >= limit { stopAccepting() }
  }

  private func finishIfDone() {
    if isComplete, pending.isEmpty { source.take()?.finish() }
  }
}
