import BenchHarness
import CBaseline
import CBenchSupport
import UV
import UVTLS

/// The workloads in which the row is a server.
extension Workloads {
  private static let echoRows = Plain<Echo>.rows(beside: cb_tcp_echo_run)

  private typealias Plain<Exchange: ServerExchange> = TCPAnswers<TCPListener, Exchange>
  private typealias Secure<Exchange: ServerExchange> = TCPAnswers<TLSListener, Exchange>

  static let tcpPingPong = ServerWorkload(
    name: "tcp-ping-pong", summary: "a message there and back on one connection",
    parameters: [
      Parameter("cores", 1, 2, in: 1...2, help: "1: the client shares the server's processor; 2: one each"),
      messageSize(64, help: "bytes of a message"),
    ],
    load: .echo, rows: echoRows)

  static let tcpEcho = ServerWorkload(
    name: "tcp-echo", summary: "a message there and back on one of many connections",
    parameters: [
      connections(50, "connections, each with one message under way"),
      messageSize(64, help: "bytes of a message"),
    ],
    load: .echo, rows: echoRows)

  static let tcpEchoWatched = ServerWorkload(
    name: "tcp-echo-watched", summary: "tcp-echo, while the loop or its connections are watched",
    parameters: tcpEcho.parameters + [watch],
    load: .echo, rows: tcpEcho.rows)

  private static var watch: Parameter {
    let all = Parameter(
      "watch", 0, 1, 2, 3, 4, 5, in: 0...5,
      help: "0: nothing, 1: lag, 2: stalls, 3: timeouts, 4: metrics, 5: snapshots")
    #if Everything
      return all
    #else
      // It needs what a seventh of the compiler's time goes to.
      return all.without(
        Watch.metrics.rawValue, "`bench/run` without --quick builds it, with the package's trait Everything")
    #endif
  }

  static let fairness = ServerWorkload(
    name: "fairness", summary: "tcp-echo, beside a connection that never stops asking",
    parameters: tcpEcho.parameters + [
      Parameter("greedy", 0, 1, in: 0...1, help: "1: one connection more, which sends without a pause")
    ],
    load: .echo, rows: tcpEcho.rows)

  /// For `run --overload`, which asks for more than a server can do.
  public static let overload: any Workload = ServerWorkload(
    name: "overload", summary: "a job of a quarter of a millisecond for the thread pool",
    note: "`run --overload` asks for more jobs than a server can do",
    parameters: [
      connections(50, "connections, each with one job under way in a closed loop"),
      Parameter("limit", 0, 64, in: 0...65_535, help: "jobs that may be under way; 0: any number"),
    ],
    load: .jobs,
    rows: Overload.rows(beside: cb_overload_run))

  static let fanOut = ServerWorkload(
    name: "fan-out", summary: "what one connection sends, each gets, though some read late",
    note:
      "latencies are those of the connections that read at once; --counters shows the bytes held for a slow one",
    parameters: [
      Parameter(
        "connections", 1000, quick: 100, in: 2...65_535, takesDescriptors: true,
        help: "connections, one of which sends"),
      Parameter(
        "slow", 0, 100, quick: 10, in: 0...65_534,
        help: "those that read nothing until the last message is sent"),
      Parameter("messages", 60, in: 1...100_000, help: "messages in each round"),
      Parameter("size", 4096, in: 16...65_536, help: "bytes of a message"),
    ],
    load: .fanOut,
    rows: FanOut.rows(beside: cb_fan_out_run))

  static let idleConnections = ServerWorkload(
    name: "idle-connections",
    summary: "a message there and back on each connection in turn: the others are idle",
    note: "--counters shows the bytes of a connection",
    parameters: [
      Parameter(
        "connections", 10_000, quick: 500, in: 1...65_535, takesDescriptors: true,
        help: "connections, one message under way in all"),
      messageSize(64, help: "bytes of a message"),
      Parameter("tls", 0, 1, in: 0...1, help: "1: through TLS 1.3"),
    ],
    load: .turns,
    rows: zip(tcpEcho.rows, tlsEcho.rows).map { plain, secure in
      (plain.style, { task in try (task.identity == nil ? plain.serve : secure.serve)(task) })
    })

  static let httpHello = ServerWorkload(
    name: "http-hello", summary: "a page by HTTP/1.1 with keep-alive, by UVHTTP (c: by hand)",
    revision: 2,
    parameters: [
      connections(50, "connections, each with so many requests under way"),
      Parameter("pipelined", 1, 16, in: 1...16, help: "requests under way on a connection, sent together"),
      messageSize(13, 65_536, help: "bytes of the page"),
    ],
    load: .http,
    rows: HTTPHello.rows(beside: cb_http_hello_run))

  static let httpIdle = ServerWorkload(
    name: "http-idle", summary: "a page on each connection in turn: the others are kept alive, and idle",
    note: "--counters shows the bytes of a connection",
    parameters: [
      Parameter(
        "connections", 10_000, quick: 500, in: 1...10_000, takesDescriptors: true,
        help: "connections, one request under way in all"),
      messageSize(13, help: "bytes of the page"),
    ],
    load: .httpTurns,
    rows: httpHello.rows)

  /// Serves `http-hello` in C, until the process ends.
  public static func serveHello(size: Int, listening: @escaping @Sendable (_ port: UInt16) -> Void) throws {
    let task = ServerTask(
      host: "127.0.0.1", connections: Int(UInt32.max), size: size, seed: 0, listening: listening)
    _ = try CRow.server(cb_http_hello_run)(task)
  }

  static let respGetSet = ServerWorkload(
    name: "resp-get-set", summary: "GET or SET by Redis' protocol, of keys in memory",
    parameters: [
      connections(50, "connections, each with so many requests under way"),
      Parameter("pipelined", 1, 16, in: 1...16, help: "requests under way on a connection, sent together"),
      Parameter("sets", 50, in: 0...100, help: "requests in a hundred that set a key; the others get one"),
      Parameter("size", 64, in: 1...Int(BENCH_RESP_VALUE), help: "bytes of a value"),
    ],
    load: .resp,
    rows: Plain<RedisExchange>.rows(beside: cb_resp_get_set_run))

  /// `tcp-echo` for `run --scale`, which looks at one parameter at a time.
  public static let scaling = Scaling(
    workload: ServerWorkload(
      name: "tcp-echo-scale", summary: "tcp-echo, on one loop or several",
      parameters: tcpEcho.parameters + [
        Parameter("loops", 1, in: 1...64, help: "loops, each on a thread of its own")
      ],
      load: .echo, rows: tcpEcho.rows),
    axes: [
      Scaling.Axis(
        "connections", [1, 10, 100, 1000, 10_000], quick: [1, 100, 10_000], with: ["size": 64, "loops": 1]),
      Scaling.Axis(
        "size", [64, 1024, 16_384, 262_144, 1_048_576], quick: [64, 16_384, 1_048_576],
        with: ["connections": 10, "loops": 1]),
      Scaling.Axis("loops", [1, 2], with: ["connections": 100, "size": 64]),
    ],
    descriptors: "connections", latency: ["connections": 50, "size": 64, "loops": 1])

  static let tcpStream = ServerWorkload(
    name: "tcp-stream", summary: "a write to a peer that only reads",
    parameters: [
      connections(1, "connections, each with one write under way"),
      messageSize(65536, help: "bytes of a write"),
    ],
    load: .stream,
    rows: TCPStream.rows(beside: cb_tcp_stream_run))

  static let tcpAccept = ServerWorkload(
    name: "tcp-accept", summary: "accept a connection, one message there and back, close",
    parameters: [inFlight(8, takesDescriptors: true), messageSize(64, help: "bytes of a message")],
    load: .accept,
    rows: TCPAccept<TCPListener>.rows(beside: cb_tcp_accept_run))

  static let udpEcho = ServerWorkload(
    name: "udp-echo", summary: "a datagram there and back",
    // The system drops what the sockets have no room for.
    parameters: [
      Parameter("connections", 50, in: 1...64, help: "peers, each with one datagram under way"),
      Parameter("size", 64, in: 1...1472, help: "bytes of a datagram"),
    ],
    load: .echo, transport: .udp,
    rows: UDPEcho.rows(beside: cb_udp_echo_run))

  static let pipeEcho = ServerWorkload(
    name: "pipe-echo", summary: "tcp-echo through a socket of the Unix domain",
    parameters: tcpEcho.parameters,
    load: .echo, transport: .pipe,
    rows: TCPAnswers<PipeListener, Echo>.rows(beside: cb_tcp_echo_run))

  static let tlsEcho = ServerWorkload(
    name: "tls-echo", summary: "tcp-echo through TLS 1.3",
    parameters: [
      connections(50, "connections, each with one message under way"),
      messageSize(64, 16_384, help: "bytes of a message"),
    ],
    load: .echo, isSecure: true,
    rows: Secure<Echo>.rows(beside: cb_tcp_echo_run))

  static let tlsHandshake = ServerWorkload(
    name: "tls-handshake", summary: "tcp-accept through TLS 1.3: the handshake is what it costs",
    parameters: [
      inFlight(8, takesDescriptors: true), messageSize(64, help: "bytes of a message"),
      Parameter(
        "key", 2048, in: 256...8192, help: "bits of the server's key: RSA, or ECDSA on P-256 for 256"),
      Parameter("resumed", 0, 1, in: 0...1, help: "1: each handshake resumes the session of an earlier one"),
    ],
    load: .accept, isSecure: true,
    rows: TCPAccept<TLSListener>.rows(beside: cb_tcp_accept_run))

  private static func connections(_ value: Int, _ help: String) -> Parameter {
    Parameter("connections", value, in: 1...65_535, takesDescriptors: true, help: help)
  }

  // What is under way is kept in memory, and of files there are 64.
  private static func messageSize(_ values: Int..., help: String) -> Parameter {
    var parameter = Parameter("size", in: 1...(1 << 26), help: help)
    parameter.values = values
    return parameter
  }
}
