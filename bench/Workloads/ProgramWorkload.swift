import BenchHarness
import Foundation

/// A workload of programs of their own, in `bench/ColdStart`, which are built with this one.
struct ProgramWorkload: Workload {
  let name: String
  let summary: String
  let note: String?
  let parameter: Parameter
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
  static let coldStart = ProgramWorkload(
    name: "cold-start", summary: "start an echo server and get its first answer",
    note:
      "latencies are from the start to the first answer, CPU/op is the program's; --counters shows what is mapped of it",
    parameter: Parameter("starts", 40, in: 1...10_000, help: "starts in each round")
  ) { program, request in
    try ColdStart.run([program], operations: request.operations, meter: request.meter)
  }

  static let idleServer = ProgramWorkload(
    name: "idle-server", summary: "an echo server of its own, with connections that stay open",
    note: "--counters shows the bytes that a connection takes of the program's memory",
    parameter: Parameter(
      "connections", 10_000, quick: 500, in: 1...65_535, takesDescriptors: true, help: "connections")
  ) { program, request in
    try IdleServer.run([program], connections: request.operations, meter: request.meter)
  }
}
