import UV

/// The conversation with one client: a request, its answer, and so on.
final class Session {
  private static let headEnd: Bytes = "\r\n\r\n"
  /// How long a client may take for the head of a request, once it has begun.
  private static let headTimeout = Duration.seconds(20)
  /// How long an idle client keeps its connection when the server ends: a request may be on its way.
  private static let farewell = Duration.seconds(1)

  let connection: ByteStream
  let site: Site
  private let service: Service
  /// The answers that haven't been written.
  var output = Output()
  /// Whether the connection ends after the answer that is being made.
  var isLast = false
  private var count = 0

  init(_ connection: ByteStream, _ site: Site, _ service: Service) {
    self.connection = connection
    self.site = site
    self.service = service
    connection.readTimeout = service.idleTimeout
    connection.writeTimeout = service.idleTimeout
    connection.quiescing { result in
      if case .success = result { connection.readTimeout = Self.farewell }
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

  /// Reads the head of the next request. The answers to those before it are written once there is no other complete request.
  private func nextHead() async throws(UVError) -> Bytes? {
    do throws(UVError) {
      if let head = try completeHead() { return head }
      try await flush()
      // Each byte renews the timeout of the connection. So this is the time between two requests, and the head, which might come
      // a byte at a time, has a time of its own.
      if try await connection.peek(exactly: 1).value == nil { return nil }
      if let head = try completeHead() { return head }
      return try await connection.read(until: Self.headEnd, limit: service.maxHead)
        .timeout(after: Self.headTimeout).value
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
    if !output.isEmpty { try await output.write(to: connection).value }
    output.removeAll()
  }

  /// Ends a connection so that the client gets the last answer. If the client still sent when the connection is closed, the system
  /// would reset it, and throw the answer away.
  private func end() async throws(UVError) {
    try await connection.shutdown().value
    connection.readTimeout = Self.farewell
    var rest = 1 << 20
    while rest > 0, let bytes = try await connection.read().value { rest -= bytes.count }
  }
}
