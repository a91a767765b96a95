import BenchHarness
import Foundation

/// A workload of programs of their own, beside this file, which are built with this one.
struct ProgramWorkload: Workload {
  let name: String
  let summary: String
  let note: String?
  let parameter: Parameter
  var targets: [Target] = []
  /// Does the work with the program at a path.
  let run: @Sendable (_ program: String, RunRequest) throws -> RunOutcome

  let styles = Style.all
  // Counting instructions would go on in the child.
  let isSingleThreaded = false
  var parameters: [Parameter] { [parameter] }
  var operationCount: OperationCount { .parameter(parameter.name) }

  func countersOfTiming(_ id: WorkloadID) -> Set<Counter> { Counter.ofWork }

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance {
    let program = Self.program(of: style)
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw UsageError("there is no \(program): `bench/run` without --quick builds it")
    }
    return ClosureInstance { try run(program, $0) }
  }

  var programs: [String] { styles.map(Self.program) }

  /// The path of a style's program.
  private static func program(of style: Style) -> String {
    let folder = Executable.path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    return "\(folder)/cold-start-\(style)"
  }
}

extension Workloads {
  /// One operation: start the style's program in this folder, wait until it listens, connect, a line there and back, end it. Under way: 1.
  /// Checked: the line that came back.
  ///
  /// The programs are built with `uvbench`, and the one that is started is the worker's child. Latencies are from the start to the first
  /// answer. Processor time is that of the program, its end included. The counts are bytes: `program_bytes` are mapped of the program's own
  /// file, `linked_bytes` of the libraries that it is linked with, and `resident_bytes` it has when it has answered.
  static let coldStart = ProgramWorkload(
    name: "cold-start", summary: "start an echo server and get its first answer",
    note:
      "latencies are from the start to the first answer, CPU/op is the program's; --counters shows what is mapped of it",
    parameter: Parameter("starts", 40, in: 1...10_000, help: "starts in each round")
  ) { program, request in
    try ColdStart.run([program], operations: request.operations, meter: request.meter)
  }

  /// One operation: the same program holds `connections`, each of which has sent 64 bytes and got them back. Under way: 1. Checked: what
  /// came back.
  ///
  /// What a connection takes is the growth of the program's resident size (`Rss` of `smaps_rollup`), after a first connection has come and
  /// gone. `bench/Proof/idle` asks other servers the same. `idle-connections` counts by the allocator, in the worker, with what the row
  /// itself keeps.
  static let idleServer = ProgramWorkload(
    name: "idle-server", summary: "an echo server of its own, with connections that stay open",
    note: "--counters shows the bytes that a connection takes of the program's memory",
    parameter: Parameter(
      "connections", 10_000, quick: 500, in: 1...65_535, takesDescriptors: true, help: "connections"),
    targets: [
      Target(
        "idle-server", ["connections": 10_000], .resident,
        bounds: [.callback: 560, .async: 2150, .promise: 900, .future: 900],
        reasons: [
          .callback: "uv_tcp_t alone takes 248 bytes",
          .promise: "the three objects of a chain: each, its node and catch",
          .future:
            "the objects of a chain: the source's subscription, the node of flatMap, the sink and what it calls",
          .async: "the runtime's task: 1,350 bytes before anything of ours, and what C holds, 270",
        ])
    ]
  ) { program, request in
    try IdleServer.run([program], connections: request.operations, meter: request.meter)
  }
}
