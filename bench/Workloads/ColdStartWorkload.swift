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
    let folder = CommandLine.arguments[0].split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    return ClosureInstance {
      try ColdStart.run(["\(folder)/cold-start-\(style)"], operations: $0.operations, meter: $0.meter)
    }
  }
}
