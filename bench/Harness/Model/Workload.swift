/// A piece of work that is measured in several styles.
///
/// It says what it is called, what it depends on and which styles it has, and makes something that can be
/// run. That is all that is needed to get calibration, interleaved rounds, latencies, counters and every form
/// of output. `bench/Example` is a whole program with one.
public protocol Workload: Sendable {
  /// The name, as it is typed and printed.
  var name: String { get }
  /// What one operation is, in a line.
  var summary: String { get }
  /// What one must know to read its figures, in a sentence; nil where that is nothing.
  var note: String? { get }
  /// Raised whenever the work itself changes, so that figures from before and after are not compared.
  var revision: Int { get }
  var parameters: [Parameter] { get }
  /// The styles it is written in, the reference first.
  var styles: [Style] { get }
  /// How the number of operations of a round is found.
  var operationCount: OperationCount { get }
  /// Whether one thread does all of it. What threads hand to each other takes a number of
  /// instructions that depends on timing.
  var isSingleThreaded: Bool { get }
  /// The counters of a row that depend on timing: the gate shows them and does not judge them.
  func countersOfTiming(_ id: WorkloadID) -> Set<Counter>
  /// Whether the work is to serve what comes by the network, so that a load generator on another machine can
  /// ask for it.
  var isReachedByNetwork: Bool { get }
  /// Whether operations can begin at a given rate.
  var hasOpenLoop: Bool { get }
  /// Paths of the programs that it starts.
  var programs: [String] { get }
  /// What its rows are meant to reach.
  var targets: [Target] { get }
  /// Something that can be run again and again in one style.
  func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance
}

extension Workload {
  public var note: String? { nil }
  public var revision: Int { 1 }
  public var parameters: [Parameter] { [] }
  /// Calibrated on the first row, then the same for all.
  public var operationCount: OperationCount { .calibrated }
  public var isReachedByNetwork: Bool { false }
  public var hasOpenLoop: Bool { false }
  public var isSingleThreaded: Bool { true }
  public func countersOfTiming(_ id: WorkloadID) -> Set<Counter> { [] }

  public var programs: [String] { [] }
  public var targets: [Target] { [] }

  /// Throws where it can't be run with such values, or not here.
  func check(_ values: ParameterValues) throws {
    if let missing = programs.first(where: { access($0, X_OK) != 0 }) {
      throw UsageError(
        "\(name) starts `\(missing)`, which isn't there: `swift build` puts it beside this program")
    }
    for parameter in parameters {
      if let value = values.value(parameter.name) { try parameter.check(value) }
    }
  }
}

/// How the number of operations of a round is found.
public enum OperationCount: Hashable, Sendable {
  /// So many that a round of the reference row takes the time it should.
  case calibrated
  /// The value of the parameter of this name.
  case parameter(String)
}

/// What a workload may know of where it runs.
public struct WorkloadContext: Sendable {
  /// A directory for its files, which the harness removes.
  public var directory: String
  public var loadGenerator: LoadGenerator.Place
  /// Reports an error from a thread other than the one that runs the row, and ends the process.
  public var abort: @Sendable (any Error) -> Never

  public init(
    directory: String, loadGenerator: LoadGenerator.Place = .here([]),
    abort: @escaping @Sendable (any Error) -> Never = { fatalError("\($0)") }
  ) { (self.directory, self.loadGenerator, self.abort) = (directory, loadGenerator, abort) }
}

/// A workload in one style, with its parameters, ready to run.
public protocol WorkloadInstance: AnyObject {
  /// Does `request.operations` operations on data that follow from `request.seed`. It opens the meter when
  /// set-up is done, and closes it before clearing up. Throws `WrongWork` when a check fails.
  func run(_ request: RunRequest) throws -> RunOutcome
}

public final class ClosureInstance: WorkloadInstance {
  private let body: (RunRequest) throws -> RunOutcome

  public init(_ body: @escaping (RunRequest) throws -> RunOutcome) { self.body = body }

  public func run(_ request: RunRequest) throws -> RunOutcome { try body(request) }
}

/// What a run is asked to do.
public struct RunRequest: Sendable {
  public var operations: Int
  /// What the data follow from.
  public var seed: UInt64
  /// The stopwatch; to be opened and closed exactly once.
  public var meter: Meter
  /// Whether latencies are wanted. In a pass that counts they are not: preparing them
  /// would be counted, in the case of instructions.
  public var wantsLatencies = true
  /// When operations begin; nil when each begins as another ends.
  public var arrivals: Arrivals?
  /// Whether a rival runs on the same processor. What puts load on a server belongs there
  /// too then: in step with its server, it has the same share of the processor as the other.
  public var isDuel = false
}

public struct RunOutcome: Sendable {
  public var operations: Int
  /// A sum over what the operations found. It depends on the workload, the number of
  /// operations and the seed only: every style must find the same.
  public var checksum: UInt64
  /// How long operations took, where that was recorded.
  public var latencies: LatencyHistogram?
  /// In an open loop: the same since operations were begun, and not since they were due.
  public var service: LatencyHistogram?
  /// What the row counted itself over all operations, by name; shown per operation.
  public var counters: [Counter: UInt64]

  public init(
    operations: Int, checksum: UInt64, latencies: LatencyHistogram? = nil,
    service: LatencyHistogram? = nil, counters: [Counter: UInt64] = [:]
  ) {
    (self.operations, self.checksum, self.latencies) = (operations, checksum, latencies)
    (self.service, self.counters) = (service, counters)
  }
}
