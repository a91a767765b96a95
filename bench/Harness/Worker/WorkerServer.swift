/// The worker's side of the line protocol: runs what it is asked for, one row at a time.
final class WorkerServer {
  private let workloads: [any Workload]
  private let context: WorkloadContext
  private let counters: [Meter.Reading]
  private let setCounting: (Bool) -> Void
  private let setConfined: (Bool) -> Void
  private var isConfined = false
  private let injection: Injection
  private var instances: [WorkloadID: any WorkloadInstance] = [:]

  /// A worker that knows `workloads`. `setCounting` switches the counters on and off;
  /// `setConfined` keeps the process on one processor or lets it go; `injection` makes it
  /// worse than it says, for tests of the harness.
  init(
    workloads: [any Workload], context: WorkloadContext, counters: [Meter.Reading] = [],
    setCounting: @escaping (Bool) -> Void = { _ in },
    setConfined: @escaping (Bool) -> Void = { _ in }, injection: Injection = Injection()
  ) {
    (self.workloads, self.context, self.counters) = (workloads, context, counters)
    (self.setCounting, self.setConfined, self.injection) = (setCounting, setConfined, injection)
  }

  /// Answers lines until there are no more. `write` sends a line.
  func serve(hello: WorkerHello, read: () -> String?, write: (String) -> Void) throws {
    write(try LineJSON.string(hello))
    while let line = read() { write(try LineJSON.string(answer(line))) }
  }

  func answer(_ line: String) -> WorkerAnswer {
    do {
      let request = try WorkerRequest(line: line)
      guard request.arrivals == nil || workload(request.id)?.hasOpenLoop == true else {
        throw UsageError("\(request.id.workload) has no open loop: it cannot be given a rate")
      }
      return try perform(request, on: instance(request.id))
    } catch let error as UsageError {
      return WorkerAnswer(failure: .usage, message: error.description)
    } catch {
      return WorkerAnswer(failure: .wrongWork, message: "\(error)")
    }
  }

  private func perform(_ request: WorkerRequest, on instance: any WorkloadInstance) throws -> WorkerAnswer {
    let counting = request.verb == .count
    let injection = self.injection
    let meter = Meter(counters: counting ? counters : []) { injection.onOpen(request.operations) }
    let operations = injection.operations(request.operations)
    if isConfined != (request.verb == .duel) {
      isConfined.toggle()
      setConfined(isConfined)
    }
    PeakMemory.reset()
    setCounting(counting)
    defer { setCounting(false) }
    let outcome = try instance.run(
      RunRequest(
        operations: operations, seed: request.seed, meter: meter,
        wantsLatencies: request.verb == .run, arrivals: request.arrivals,
        isDuel: request.verb == .duel))
    let peak = PeakMemory.bytes()
    guard let measurement = meter.measurement else {
      throw WrongWork("the row never opened or closed its window")
    }
    guard outcome.operations == operations else {
      throw WrongWork("\(outcome.operations) of \(operations) operations completed")
    }
    var answer = WorkerAnswer(outcome, measurement, peakRSSBytes: peak)
    answer.operations = request.operations
    return answer
  }

  private func workload(_ id: WorkloadID) -> (any Workload)? { workloads.first { $0.name == id.workload } }

  private func instance(_ id: WorkloadID) throws -> any WorkloadInstance {
    if let known = instances[id] { return known }
    guard let workload = workload(id) else { throw UsageError("there is no workload named \(id.workload)") }
    guard workload.revision == id.revision else {
      throw UsageError("\(id.workload) is at revision \(workload.revision), not \(id.revision)")
    }
    guard workload.styles.contains(id.style) else {
      throw UsageError("\(id.workload) has no style \(id.style)")
    }
    guard Set(workload.parameters.map(\.name)) == Set(id.parameters.names) else {
      let names = workload.parameters.map(\.name).joined(separator: ", ")
      throw UsageError("\(id.workload) takes the parameters \(names.isEmpty ? "(none)" : names)")
    }
    try workload.check(id.parameters)
    let fresh = try workload.makeInstance(style: id.style, parameters: id.parameters, context: context)
    instances[id] = fresh
    return fresh
  }
}
