import UV

/// The conversation with one client: a request, its answer, and so on.
final class Session {
  private static let headEnd: Bytes = "\r\n\r\n"
  /// How long a client may be silent when the server ends, since a request may be on its way, and after the
  /// last answer.
  private static let lastSilence = Duration.seconds(1)
  /// An answer of so many bytes may be more than one wait for the client.
  private static let longAnswer = 4096

  let connection: ByteStream
  let site: Site
  let service: Service
  /// When the connection has lasted long enough, and ends with the next answer.
  let lifetimeEnd: LoopClock.Instant
  /// The answers that haven't been written.
  var output = Output()
  /// Whether the connection ends after the answer that is being made.
  var isLast = false
  private var count = 0

  init(_ connection: ByteStream, _ site: Site, _ service: Service) {
    self.connection = connection
    self.site = site
    self.service = service
    lifetimeEnd = connection.loop.now.advanced(by: service.lifetime)
    connection.readTimeout = service.idleTimeout
    connection.writeTimeout = service.idleTimeout
    connection.quiescing { result in
      if case .success = result { connection.readTimeout = Self.lastSilence }
    }
  }

  /// Answers requests until the client or the server ends.
  func run() async throws(UVError) {
    defer { service.didAnswer(count) }
    while !isLast, let head = try await nextHead() {
      try await answer(head)
      count += 1
      if output.isFull { try await flush() }
    }
    try await flush()
    if isLast { try await end() }
  }

  /// Answers without a request.
  func refuse(_ status: Status) async throws(UVError) {
    isLast = true
    fail(status)
    try await flush()
    try await end()
  }

  /// Reads the head of the next request. The answers to those before it are written once there is no other
  /// complete request.
  private func nextHead() async throws(UVError) -> Bytes? {
    do throws(UVError) {
      if let head = try completeHead() { return head }
      try await flush()
      // Each byte renews the timeout of the connection. So this is the time between two requests, and the
      // head, which might come a byte at a time, has a time of its own.
      if try await connection.peek(exactly: 1).value == nil { return nil }
      if let head = try completeHead() { return head }
      return try await connection.read(until: Self.headEnd, limit: service.maxHead)
        .timeout(after: service.headTimeout).value
    } catch {
      switch error.code {
      case .messageTooLong: try await refuse(.headerFieldsTooLarge)
      case .timedOut where connection.unreadByteCount > 0: try await refuse(.requestTimeout)
      case .timedOut: break
      default: throw error
      }
      return nil
    }
  }

  private func completeHead() throws(UVError) -> Bytes? {
    try connection.tryRead(until: Self.headEnd, limit: service.maxHead)
  }

  func flush() async throws(UVError) {
    if output.count > Self.longAnswer {
      try await limited(output.count, output.write(to: connection))
    } else if !output.isEmpty {
      try await output.write(to: connection).value
    }
    output.removeAll()
  }

  /// Writes something long. Each byte that the client takes renews the timeout of the connection, so the
  /// whole has a time of its own.
  @discardableResult
  func limited<T>(_ byteCount: Int, _ write: Request<T>) async throws(UVError) -> T {
    connection.totalTimeout = service.time(for: byteCount)
    let value = try await write.value
    connection.totalTimeout = nil
    return value
  }

  /// Ends a connection so that the client gets the last answer. If the client still sent when the connection
  /// is closed, the system would reset it, and throw the answer away.
  private func end() async throws(UVError) {
    connection.readTimeout = Self.lastSilence
    // A client that goes on sending renews that, and not this.
    connection.totalTimeout = service.farewell
    try await connection.shutdown().value
    var rest = 1 << 20
    while rest > 0, let bytes = try await connection.read().value { rest -= bytes.count }
  }
}
