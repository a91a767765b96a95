#if HTTP || Everything
/// How much a peer may make a server spend: sizes, counts and times, each with a default and a total.
///
/// ```swift
/// var limits = HTTPLimits()
/// limits.body = 64 * 1024
/// limits.idleTimeout = .seconds(15)
/// let server = try loop.http.listen(port: 8080, limits: limits)
/// ```
///
/// A request beyond a size is answered with the status that RFC 9110 or RFC 6585 names for it, and its
/// connection ends after the answer. A limit that useful bytes renew has a total beside it: ``minimumRate``
/// for a body, and ``lifetime`` for the connection.
public struct HTTPLimits: Sendable {
  /// How many connections may be open at a time, 1 or more; 10,000 by default. While there are as many, no more
  /// are accepted: clients wait in the system's queue, or are refused; see ``refusedConnections``.
  public var connections = 10_000
  /// How many connections beyond ``connections`` may be open to be refused, 0 or more; 0 by default. The first request of
  /// each is answered with 503 (Service Unavailable), and the connection ends. Its client can then go elsewhere, or
  /// report it, in place of waiting. One that says nothing has the time of ``lastSilence``. When there are as
  /// many of these, too, further clients wait in the system's queue. ``HTTPServer/counts`` says how many there were.
  public var refusedConnections = 0
  /// How many requests of one connection may be handed out that aren't answered, 1 or more; 16 by default. Only
  /// those with a method that looks and changes nothing, such as GET, and without a body are handed out before
  /// the ones before them are answered. The answers leave in the order of the requests.
  public var pipelinedRequests = 16
  /// How many bytes a request line may have, 16 or more; 8,192 by default. A longer one is answered with 414
  /// (URI Too Long), or with 501 (Not Implemented) if its method alone is longer than 64 bytes.
  public var requestLine = 8192
  /// How many bytes all fields of a head may have, and all fields of a trailer, 16 or more; 32,768 by default.
  /// More are answered with 431 (Request Header Fields Too Large).
  public var fields = 32768
  /// How many fields a head may have, and how many a trailer, 1 or more; 100 by default. More are answered with
  /// 431.
  public var fieldCount = 100
  /// How many bytes the body of a request may have, 0 or more; 1,048,576 by default. A longer one is answered
  /// with 413 (Content Too Large): before the program gets the request, if its head says the length.
  public var body = 1 << 20
  /// How many bytes the extensions of all chunks of a body may have, 0 or more; 16,384 by default. More are
  /// answered with 400.
  public var chunkExtensions = 16384
  /// How many bytes of a body that the program has not read are read and dropped after the answer, 0 or more;
  /// 262,144 by default. If there are more, or if the client waits for leave to send them, the connection ends
  /// instead.
  public var unreadBody = 262144
  /// How long a head may take from its first byte; 20 s by default. It is then answered with 408 (Request
  /// Timeout).
  public var headTimeout = Duration.seconds(20)
  /// How long a connection may be silent: between two requests, while a body is read, and while an answer
  /// waits for the client; 60 s by default. A client that takes bytes of its answer isn't silent, whatever it sends.
  /// Over TLS only bytes of HTTP count: see `ByteStream.readTimeout`.
  /// Between two requests the connection then closes. A body ends with `timedOut`. An answer ends with a reset.
  public var idleTimeout = Duration.seconds(60)
  /// How many bytes in a second a body has to make, beyond the idle timeout, 1 or more; 1,024 by default. Those of its
  /// answer that leave meanwhile count, too. An answer that waits for the client has to make as many. So a client that
  /// sends or takes a byte now and then doesn't stay.
  public var minimumRate = 1024
  /// How long a connection may last, whatever its client does; an hour by default. The answer that is made after that says
  /// that it is the last one. A connection without a request gets ``lastSilence`` then, and closes.
  public var lifetime = Duration.seconds(3600)
  /// How long a client gets to take the last answer, and to end what it sends; 5 s by default. Up to
  /// ``unreadBody`` bytes are dropped.
  public var farewell = Duration.seconds(5)
  /// How long a client may be silent at the end of the service, or of its connection's ``lifetime``, since a request may be
  /// on its way; 1 s by default.
  public var lastSilence = Duration.seconds(1)

  /// The default limits.
  public init() {}

  /// How long a peer may take for so many bytes.
  func time(for byteCount: Int) -> Duration {
    idleTimeout + WriteDeadline.time(for: byteCount, rate: minimumRate)
  }
}
#endif
