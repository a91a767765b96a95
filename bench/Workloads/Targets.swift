import BenchKit

/// What the styles are meant to cost beside the row in C.
public enum Targets {
  /// All of them.
  public static let all = [
    Target(
      "tcp-echo", ["connections": 50, "size": 64],
      bounds: [.callback: 1.03, .async: 1.12, .promise: 1.15, .future: 1.20]),
    Target(
      "tcp-echo", ["connections": 500, "size": 64],
      bounds: [.callback: 1.05, .async: 1.15, .promise: 1.20, .future: 1.25]),
    Target(
      "tcp-echo", ["connections": 50, "size": 64], .instructions,
      bounds: [.callback: 250, .async: 2500, .promise: 1000, .future: 1500]),
    Target(
      "tcp-stream", ["connections": 1, "size": 65536], .throughput,
      bounds: [.callback: 0.98, .async: 0.97, .promise: 0.95, .future: 0.95]),
    Target(
      "fs-read", ["in-flight": 64], bounds: [.callback: 1.05, .async: 1.10, .promise: 1.12, .future: 1.15]),
    Target(
      "million-timers", ["spread": 0], bounds: [.callback: 0.80, .async: 2.0, .promise: 1.5, .future: 2.0]),
    Target("wakeup", ["cores": 1], bounds: [.callback: 0.80, .async: 1.2, .promise: 1.0, .future: 1.1]),
    Target("wakeup", ["cores": 2], bounds: [.callback: 0.80, .async: 1.2, .promise: 1.0, .future: 1.1]),
    Target(
      "fs-read-file", ["in-flight": 1],
      bounds: [.callback: 0.50, .async: 0.55, .promise: 0.55, .future: 0.60]),
  ]
}
