import BenchHarness
import UV
import UVTLS

/// The workloads in which each message comes back as it was.
extension Workloads {
  private static let echoRows = Plain<Echo>.rows(beside: "tcp-echo")

  /// One operation: `size` bytes there and back. Under way: 1. The row: writes back what it reads, on one connection.
  static let tcpPingPong = ServerWorkload(
    name: "tcp-ping-pong", summary: "a message there and back on one connection",
    parameters: [
      Parameter("cores", 1, 2, in: 1...2, help: "1: the client shares the server's processor; 2: one each"),
      messageSize(64, help: "bytes of a message"),
    ],
    load: .echo, rows: echoRows)

  /// One operation: `size` bytes there and back. Under way: one on each of `connections`. The row: writes back what it reads.
  static let tcpEcho = ServerWorkload(
    name: "tcp-echo", summary: "a message there and back on one of many connections",
    parameters: [
      connections(50, "connections, each with one message under way"),
      messageSize(64, help: "bytes of a message"),
    ],
    load: .echo, rows: echoRows,
    targets: [
      Target(
        "tcp-echo", ["connections": 50, "size": 64],
        bounds: [.callback: 1.03, .async: 1.12, .promise: 1.15, .future: 1.20],
        reasons: [
          .callback: "560 instructions more, and 11 lines missed in the first cache a request; C fits",
          .async: "2,450 instructions more, and 25 lines missed in the first cache a request; C fits",
          .promise: "2,300 instructions more, and 15 lines missed in the first cache a request; C fits",
          .future: "2,440 instructions more, and lines missed in the first cache a request; C fits",
        ]),
      Target(
        "tcp-echo", ["connections": 500, "size": 64],
        bounds: [.callback: 1.05, .async: 1.15, .promise: 1.20, .future: 1.25],
        reasons: [
          .async:
            "2,450 instructions more, and 24 lines missed in the first cache for each request where C misses 5"
        ]),
      Target(
        "tcp-echo", ["connections": 50, "size": 64], .instructions,
        bounds: [.callback: 250, .async: 2700, .promise: 1000, .future: 1500],
        reasons: [
          .callback:
            "a completion is a microtask, never on its caller's stack (142), and what a handler holds is counted (130)",
          .async: "a wait of a task takes the runtime 2,090 by itself; the rest varies by 20",
          .promise: "reference counting: 17 retains and 22 releases a request (720), and two microtasks",
          .future:
            "reference counting, and a closure and two signals for each request",
        ]),
    ])

  /// One operation: that of `tcp-echo`, with `watch`. Under way: as there. The row: 1: the loop's lag is measured, 2 the loop is watched
  /// for stalls, 3 each connection has a read, a write and an idle timeout, 4 the loop reports its metrics every 100 ms, 5 a snapshot of
  /// the loop is taken after every 1,000 messages; C has none of these.
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

  /// One operation: that of `tcp-echo`. Under way: as there. The row: as there; with `greedy=1` one connection more sends without a pause,
  /// 64 KiB at a time, and takes what comes back. Latencies are those of the others.
  static let fairness = ServerWorkload(
    name: "fairness", summary: "tcp-echo, beside a connection that never stops asking",
    parameters: tcpEcho.parameters + [
      Parameter("greedy", 0, 1, in: 0...1, help: "1: one connection more, which sends without a pause")
    ],
    load: .echo, rows: tcpEcho.rows,
    targets: [
      Target(
        "fairness", ["greedy": 1], .tail, above: ["greedy": 0],
        bounds: [.callback: 2, .async: 2, .promise: 2, .future: 2],
        reasons: [.callback: tail, .async: tail, .promise: tail, .future: tail])
    ])

  /// One operation: `size` bytes there and back. Under way: one, on each of `connections` in turn. The row: the same as `tcp-echo`, or as
  /// `tls-echo` with `tls=1`.
  ///
  /// This and `http-idle`: all connections but one are idle. The counts are bytes for each connection. `held_bytes` is what the allocator
  /// has given out between the start of the listener and the end of the last message, with its own rounding, and `resident_bytes` how much
  /// the process has grown meanwhile. `kept_bytes` and `kept_resident_bytes` are the same when the last connection has closed and the loop
  /// still runs. The row in C keeps what a connection takes for the next one, and the row of futures its subscriptions. A connection in C
  /// takes what is in `struct connection`; a buffer for what the system doesn't take at once is made when it is first needed.
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

  /// One operation: `tcp-echo` through a socket of the Unix domain. Under way: one on each of `connections`. The row: as there.
  static let pipeEcho = ServerWorkload(
    name: "pipe-echo", summary: "tcp-echo through a socket of the Unix domain",
    parameters: tcpEcho.parameters,
    load: .echo, transport: .pipe,
    rows: TCPAnswers<PipeListener, Echo>.rows(beside: "tcp-echo"))

  /// One operation: `tcp-echo` through TLS. Under way: one on each of `connections`. The row: as there.
  static let tlsEcho = ServerWorkload(
    name: "tls-echo", summary: "tcp-echo through TLS 1.3",
    parameters: [
      connections(50, "connections, each with one message under way"),
      messageSize(64, 16_384, help: "bytes of a message"),
    ],
    load: .echo, isSecure: true,
    rows: Secure<Echo>.rows(beside: "tcp-echo"))

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

  private static let tail =
    "a style reads 128 KiB of the greedy one in a turn, C 2 MiB; time that `doctor` calls stolen shows here first"
}

/// What is read is written back.
struct Echo: ServerExchange {
  init(_: Int) {}
  func answer(_ bytes: Bytes) -> Bytes { bytes }
}
