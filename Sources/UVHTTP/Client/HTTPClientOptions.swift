#if HTTP || Everything
import UV

/// How an ``HTTPClient`` behaves: limits, deadlines, redirects, and the way to the servers.
///
/// ```swift
/// var options = HTTPClientOptions()
/// options.total = .seconds(10)
/// options.redirects = 5
/// let client = HTTPClient(loop, options: options)
/// ```
public struct HTTPClientOptions: Sendable {
  /// The limits of the connections to each origin, that is each scheme, host and port: how many there may be,
  /// how many requests may wait for one and for how long, how long connecting may take, and how long a
  /// connection may be idle. The default is 30 s, which is less than most servers
  /// allow.
  public var connections = PoolLimits()
  /// How often to try to connect, and after which pauses; once by default.
  public var connecting = RetryPolicy(attempts: 1)
  /// How many origins the client keeps idle connections to, 1 or more; 100 by default.
  public var origins = 100
  /// How long an answer's head may take, from when all of the request has left; 30 s by default.
  public var headTimeout = Duration.seconds(30)
  /// How long a server may be silent once the request has left, and how long it may take nothing of a request;
  /// 60 s by default. No connection is idle for longer, either. A request's body that is slow to come is limited by ``total`` alone.
  public var idleTimeout = Duration.seconds(60)
  /// How long all of it may take, from the call to the end of the answer's body, with all waits, attempts and
  /// redirects; 5 min by default.
  public var total = Duration.seconds(300)
  /// How many redirects are followed, 0 or more; none by default. If there are more, the answer is the last
  /// redirect.
  ///
  /// A request with 301, 302 or 303 becomes a GET, unless it is GET or HEAD, or for 301 and 302 another
  /// method than POST. One with 307 or 308 is sent again as it was, if its body is known as a whole. A
  /// redirect to another origin leaves out the fields `Authorization`, `Cookie` and `Proxy-Authorization`. A
  /// redirect from `https` to `http`, or to a URL with a user, isn't followed.
  public var redirects = 0
  /// How many bytes all fields of an answer's head may have, 16 or more; 65,536 by default.
  public var fields = 65536
  /// How many fields an answer's head may have, 1 or more; 200 by default.
  public var fieldCount = 200
  /// How many bytes an answer's body may have, 0 or more; as many as there are by default, since a program that
  /// reads a body decides itself. `readToEnd(limit:)` has a limit of its own.
  public var body = Int.max
  /// A proxy that all connections go through, but those to ``direct`` hosts; none by default. See
  /// ``takeProxies(from:)`` for those of the environment's variables.
  public var proxy: HTTPProxy?
  /// Another proxy for `https`; by default ``proxy`` is for both.
  public var secureProxy: HTTPProxy?
  /// The hosts that no proxy is asked for: names such as `"example.com"`, which stand for those below them, too,
  /// addresses, ranges such as `"10.0.0.0/8"`, each of them with a port or not, such as `"localhost:8080"`, and `"*"` for
  /// all. By default there are none. Any other text matches nothing. Names aren't looked up to compare their addresses.
  public var direct: [String] = []
  /// Whether ``proxy`` isn't for `https`, because the environment's variables name none for that.
  var isPlainProxyOnly = false

  /// The socket of the Unix domain that all connections go to, in place of TCP; none by default. The
  /// URL says what is asked of the server there, such as `http://localhost/info` of Docker's
  /// `/var/run/docker.sock`. With a ``proxy``, the proxy listens there.
  public var unixSocket: FilePath?
  /// How long a request with the field `Expect: 100-continue` waits for leave to send its body; 1 s by default.
  /// Then the body is sent anyway, since not all servers give leave (RFC 9110, 10.1.1).
  public var continueTimeout = Duration.seconds(1)

  /// The default options.
  public init() { connections.idle = .seconds(30) }

  /// The limits of the parsers.
  var parsing: HTTPLimits {
    var limits = HTTPLimits()
    (limits.fields, limits.fieldCount, limits.body) = (fields, fieldCount, body)
    return limits
  }
}
#endif
