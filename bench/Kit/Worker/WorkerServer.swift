/// The worker's side of the line protocol: runs what it is told, one row at a time.
public final class WorkerServer {
  private let workloads: [any Workload]
  private let context: WorkloadContext
  private let counters: [Meter.Counter]
  private let setCounting: (Bool) -> Void
  private var instances: [WorkloadID: any WorkloadInstance] = [:]

  /// A worker that knows `workloads`. `setCounting` switches the counters on and off.
  public init(
    workloads: [any Workload], context: WorkloadContext, counters: [Meter.Counter] = [],
    setCounting: @escaping (Bool) -> Void = { _ in }
  ) {
    self.workloads = workloads
    self.context = context
    self.counters = counters
    self.setCounting = setCounting
  }

  /// Answers lines until there are no more. `write` sends a line.
  public func serve(
    hello: WorkerHello, read: () -> String?, write: (String) -> Void
  ) throws {
    write(try LineJSON.string(hello))
    while let line = read() {
      write(try LineJSON.string(answer(line)))
    }
  }

  /// The answer to one line.
  public func answer(_ line: String) -> WorkerAnswer {
    do {
      let request = try WorkerRequest(line: line)
      return try perform(request, on: instance(request.id))
    } catch let error as UsageError {
      return WorkerAnswer(failure: .usage, message: error.description)
    } catch {
      return WorkerAnswer(failure: .wrongWork, message: "\(error)")
    }
  }

  private func perform(
    _ request: WorkerRequest, on instance: any WorkloadInstance
  ) throws -> WorkerAnswer {
    let counting = request.verb == .count
    let meter = Meter(counters: counting ? counters : [])
    PeakMemory.reset()
    setCounting(counting)
    defer { setCounting(false) }
    let outcome = try instance.run(
      RunRequest(
        operations: request.operations, seed: request.seed, meter: meter, wantsLatencies: !counting))
    let peak = PeakMemory.bytes()
    guard let measurement = meter.measurement else {
      throw WrongWork("the row never opened or closed its window")
    }
    guard outcome.operations == request.operations else {
      throw WrongWork("\(outcome.operations) of \(request.operations) operations completed")
    }
    return WorkerAnswer(outcome, measurement, peakRSSBytes: peak)
  }

  private func instance(_ id: WorkloadID) throws -> any WorkloadInstance {
    if let known = instances[id] { return known }
    guard let workload = workloads.first(where: { $0.name == id.workload }) else {
      throw UsageError("there is no workload named \(id.workload)")
    }
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
    let fresh = try workload.makeInstance(
      style: id.style, parameters: id.parameters, context: context)
    instances[id] = fresh
    return fresh
  }
}
