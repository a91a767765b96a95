import BenchKit

/// `cold-start`: programs of their own, in `bench/ColdStart`, which are built with this one.
struct ColdStartWorkload: Workload {
  let name = "cold-start"
  let summary = "start an echo server and get its first answer"
  let note: String? =
    "latencies are from the start to the first answer, CPU/op is the program's; --counters shows what is mapped of it"
  let parameters = [Parameter("starts", 40, in: 1...10_000, help: "starts in each round")]
  let styles = Style.all
  let operationCount = OperationCount.parameter("starts")
  // Counting instructions would go on in the child.
  let isSingleThreaded = false

  func countersOfTiming(_ id: WorkloadID) -> Set<Counter> { Counter.ofWork }

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance {
    ClosureInstance { try ColdStart.run([program(style)], operations: $0.operations, meter: $0.meter) }
  }
}

/// `idle-server`: the same programs, which hold connections.
struct IdleServerWorkload: Workload {
  let name = "idle-server"
  let summary = "an echo server of its own, with connections that stay open"
  let note: String? = "--counters shows the bytes that a connection takes of the program's memory"
  let parameters = [
    Parameter("connections", 10_000, quick: 500, in: 1...65_535, takesDescriptors: true, help: "connections")
  ]
  let styles = Style.all
  let operationCount = OperationCount.parameter("connections")
  // Counting instructions would go on in the child.
  let isSingleThreaded = false

  func countersOfTiming(_ id: WorkloadID) -> Set<Counter> { Counter.ofWork }

  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance {
    ClosureInstance { try IdleServer.run([program(style)], connections: $0.operations, meter: $0.meter) }
  }
}

/// The program of a style, which stands beside this one.
private func program(_ style: Style) -> String {
  CommandLine.arguments[0].split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    + "/cold-start-\(style)"
}
