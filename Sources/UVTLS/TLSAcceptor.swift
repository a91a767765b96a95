/// Accepts connections while somebody asks, and does their handshakes.
final class TLSAcceptor {
  let listener: SocketListener<TLSConnection>
  private let timeout: Duration
  private let limit: Int
  private let onFailure: (UVError) -> Void
  /// The source, while somebody asks. It keeps itself alive for as long.
  private var source: CustomSource<TLSConnection>?
  private var isAccepting = false
  /// The handshakes that are under way, by number.
  private var handshakes: [Int: PendingRequest] = [:]
  private var number = 0
  /// Whether no more connections come. The reader is told so when the last handshake has ended.
  private var isComplete = false
  private var hasEnded = false

  init(
    _ loop: EventLoop, _ binding: TCPBinding, _ context: TLSContext, timeout: Duration, limit: Int,
    _ onFailure: @escaping (UVError) -> Void
  ) throws(UVError) {
    listener = try SocketListener(loop: loop, binding) { socket throws(UVError) in
      do throws(UVError) {
        return try TLSConnection(socket, TLSSession(context, host: nil, port: nil))
      } catch {
        onFailure(UVError(error.code, operation: "accept", message: error.message))
        throw error
      }
    }
    self.timeout = timeout
    self.limit = limit
    self.onFailure = onFailure
  }

  var loop: EventLoop { listener.loop }

  func resume(_ source: CustomSource<TLSConnection>) {
    self.source = source
    acceptMore()
  }

  func pause() {
    source = nil
    rest()
  }

  /// The listener closes.
  func end() {
    hasEnded = true
    pause()
    for handshake in handshakes.values { handshake.cancel() }
  }

  private func acceptMore() {
    if source == nil || isAccepting || handshakes.count >= limit { return }
    isAccepting = true
    listener.start { [self] result in
      switch result {
      case .success(let connection?): greet(connection)
      case .success(nil):
        isComplete = true
        finishIfDone()
      case .failure(let error): source.take()?.finish(error)
      }
    }
  }

  private func finishIfDone() {
    if isComplete, handshakes.isEmpty { source.take()?.finish() }
  }

  /// Leaves the connections that follow in the system.
  private func rest() {
    if !isAccepting { return }
    isAccepting = false
    listener.stop()
  }

  private func greet(_ connection: TLSConnection) {
    number += 1
    let number = number
    let keeper = source
    let handshake = TLSHandshake(connection, "accept", nil) { [self] result in
      handshakes[number] = nil
      switch result {
      case .success(let connection):
        // The reader has gone, but may come back.
        if hasEnded || (source ?? keeper)?.send(connection) != true { connection.close() }
      case .failure(let error): if !hasEnded { onFailure(error) }
      }
      finishIfDone()
      acceptMore()
    }
    handshakes[number] = handshake.begin(within: timeout)
    if handshakes.count >= limit { rest() }
  }
}
