import BenchHarness
import CBaseline

/// The workloads of `uvbench`, named after libuv's own benchmarks where one exists.
///
/// Each has a folder beside this file, with its rows, its row in C and what all of them have to do.
public enum Workloads {
  /// All of them, in the order in which they are run.
  public static let all: [any Workload] =
    [
      millionTimers, timerCancel, timeoutWrap, cancel, sleepChain, fsStat, fsRead, fsReadFile, spawn, dns,
      wakeup, crossLoop, thenChain, hostCall, httpClient,
    ]
    + [
      tcpPingPong, tcpEcho, tcpEchoWatched, fairness, idleConnections, fanOut, overload, httpHello, httpIdle,
      respGetSet, tcpStream, tcpAccept, udpEcho, pipeEcho, tlsEcho, tlsHandshake, coldStart, idleServer,
    ]

  /// What a server's author asks first: echo, HTTP, TLS, files, timers, timers that are cancelled, a wake-up and a
  /// stream.
  public static let quick = [
    QuickCase("tcp-echo"), QuickCase("http-hello", ["pipelined": 1, "size": 13]),
    // Each round begins with a handshake for each connection.
    QuickCase("tls-echo", ["connections": 10, "size": 64]),
    QuickCase("fs-read", ["in-flight": 1, "cores": 1]), QuickCase("million-timers"),
    QuickCase("timer-cancel", ["standing": 0]), QuickCase("wakeup", ["cores": 1]), QuickCase("tcp-stream"),
  ]

  /// A batch in C, a server, and the thread pool.
  public static let selftest = ["million-timers", "tcp-echo", "fs-stat"]

  /// What `bench/peers` has programs for.
  public static let ofPeers = [
    "tcp-echo", "http-hello", "http-client", "resp-get-set", "tls-echo", "tls-handshake", "million-timers",
    "fs-read", "wakeup", "then-chain", "host-call", "cold-start",
  ]

  /// The version of the libuv that the rows are linked with.
  public static var libuvVersion: String { String(cString: cb_libuv_version()) }

  static let cores = Parameter(
    "cores", 1, 2, in: 1...2,
    help: "1: both threads, or the loop and the pool, share a processor; 2: one each")

  static func inFlight(_ values: Int..., takesDescriptors: Bool = false) -> Parameter {
    var parameter = Parameter(
      "in-flight", in: 1...65_535, takesDescriptors: takesDescriptors, help: "operations under way at a time")
    parameter.values = values
    return parameter
  }

  // A buffer of nothing cannot be read into.
  static func fileSize(from least: Int, _ help: String) -> Parameter {
    Parameter("size", 4096, in: least...(1 << 24), help: help)
  }

  static func connections(_ value: Int, _ help: String) -> Parameter {
    Parameter("connections", value, in: 1...65_535, takesDescriptors: true, help: help)
  }

  // What is under way is kept in memory, and of files there are 64.
  static func messageSize(_ values: Int..., help: String) -> Parameter {
    var parameter = Parameter("size", in: 1...(1 << 26), help: help)
    parameter.values = values
    return parameter
  }
}
