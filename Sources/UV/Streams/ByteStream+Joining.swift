extension ByteStream {
  /// Passes on what this stream and another one send, each to the other, until both have ended: a tunnel.
  ///
  /// ```swift
  /// let server = try await loop.tcp.connect(host: "localhost", port: 5432).value
  /// client.idleTimeout = .seconds(300)
  /// try await client.join(server).value
  /// ```
  ///
  /// Each side may end what it sends and go on reading, as TCP allows. If one side doesn't read, the other has to
  /// wait: at most one chunk of each direction is in memory. Bytes that have been read ahead of a stream are passed on,
  /// too. This stream's ``idleTimeout`` and ``totalTimeout`` apply to both, if it has them: both are silent, or neither
  /// is.
  ///
  /// Both streams are closed at the end. When the loop that has accepted one of them shuts down gracefully, the tunnel
  /// ends once it has been silent for `lastSilence`. Then, and after an error, both are reset, if they are TCP, so that
  /// neither peer takes what it has got for the whole.
  ///
  /// - Parameters:
  ///   - other: A stream of the same loop. Nobody else may read or write the two.
  ///   - lastSilence: How long the two may be silent at the end of the service.
  /// - Returns: A request that ends when both sides have ended, or at the end of the service. It fails with
  ///   `invalidArgument` for a stream with itself or with one of another loop, with `timedOut`, and with the errors
  ///   of a read and a write. Cancelling it closes both streams.
  ///
  /// The corresponding libuv functions are `uv_read_start`, `uv_write` and `uv_shutdown`.
  public func join(_ other: ByteStream, lastSilence: Duration = .seconds(1)) -> Request<Void> {
    Request(of: loop) { [self] in join(other, lastSilence: lastSilence, $0) }
  }

  /// Passes on what this stream and another one send; see ``join(_:lastSilence:)``.
  ///
  /// The corresponding libuv functions are `uv_read_start`, `uv_write` and `uv_shutdown`.
  @discardableResult
  public func join(
    _ other: ByteStream, lastSilence: Duration = .seconds(1), _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    loop.requireOnLoop("join")
    guard other !== self, other.loop === loop else {
      return loop.answer(done, UVError(.invalidArgument, operation: "join"))
    }
    if let idleTimeout { other.idleTimeout = idleTimeout }
    if let totalTimeout { other.totalTimeout = totalTimeout }
    let joined = JoinedStreams(self, other, done)
    joined.begin(lastSilence)
    return PendingRequest("join") { joined.cancel() }
  }
}

/// Two streams, each of which gets what the other one sends. Their pending reads and writes keep it alive.
private final class JoinedStreams {
  private let streams: [ByteStream]
  private var done: Completion<Void>?
  private var openDirections = 2
  private var quiescing: [PendingRequest] = []
  private var isQuiescing = false

  init(_ one: ByteStream, _ other: ByteStream, _ done: @escaping Completion<Void>) {
    (streams, self.done) = ([one, other], done)
  }

  func begin(_ lastSilence: Duration) {
    for stream in streams {
      let waiting = stream.quiescing { [weak self] result in
        if case .success = result { self?.quiesce(lastSilence) }
      }
      quiescing.append(waiting)
    }
    copy(from: streams[0], to: streams[1])
    copy(from: streams[1], to: streams[0])
  }

  func cancel() { end(.failure(UVError(.cancelled, operation: "join"))) }

  private func quiesce(_ lastSilence: Duration) {
    isQuiescing = true
    for stream in streams { stream.idleTimeout = lastSilence }
  }

  /// Copies what one side sends, and then its end. The other direction goes on.
  private func copy(from source: ByteStream, to target: ByteStream) {
    if done == nil { return }
    source.next { [self] result in
      switch result {
      case .success(let bytes?):
        target.write(bytes) { [self] result in
          if case .failure(let error) = result { fail(error) } else { copy(from: source, to: target) }
        }
      case .success(nil):
        target.shutdown { [self] result in
          if case .failure(let error) = result { return fail(error) }
          openDirections -= 1
          if openDirections == 0 { end(.success(())) }
        }
      case .failure(let error): fail(error)
      }
    }
  }

  /// A direction has failed. At the end of the service silence is no failure.
  private func fail(_ error: UVError) {
    end(isQuiescing && error.code == .timedOut ? .success(()) : .failure(error))
  }

  private func end(_ result: Result<Void, UVError>) {
    guard let done = done.take() else { return }
    for waiting in quiescing { waiting.cancel() }
    for stream in streams { if openDirections == 0 { stream.close() } else { stream.cutOff() } }
    streams[0].loop.queueMicrotask { done(result) }
  }
}
