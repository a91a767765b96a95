import BenchKit
import CBenchSupport
import CLoadGenerator

/// A workload in which the row is a server and the load comes from another process.
public struct ServerWorkload: Workload {
  /// What the load generator does.
  public enum Load: String, Sendable {
    /// Sends messages and expects them back; each connection waits for its answer.
    case echo
    /// The same on one connection after the other: all others are idle.
    case turns
    /// The same with a connection for every message, which the server closes.
    case accept
    /// Asks for a page by HTTP, whose body has `size` bytes.
    case http
    /// Asks for jobs, and counts which are done in time.
    case jobs
    /// Asks for writes of `size` bytes, and takes them in.
    case stream
  }

  /// How messages travel.
  public enum Transport: String, Sendable {
    case tcp, udp, pipe
  }

  /// As `Workload` has it.
  public var name: String
  /// As `Workload` has it.
  public var summary: String
  /// As `Workload` has it.
  public var note: String?
  /// As `Workload` has it.
  public var parameters: [Parameter]
  /// What the load generator does.
  public var load: Load
  /// How messages travel.
  public var transport = Transport.tcp
  /// Whether the bytes are encrypted.
  public var isSecure = false
  /// The rows, the reference first.
  public var rows: [(style: Style, serve: ServerRow)]

  /// As `Workload` has it.
  public var styles: [Style] { rows.map(\.style) }

  /// As `Workload` has it.
  public var hasOpenLoop: Bool { load == .echo || load == .http || load == .jobs }

  /// As `Workload` has it.
  public var isSingleThreaded: Bool { load != .jobs }

  /// As `Workload` has it.
  public var isReachedByNetwork: Bool { transport != .pipe }

  /// As `Workload` has it. A turn of all connections, where they have turns.
  public var operationCount: OperationCount { load == .turns ? .parameter("connections") : .calibrated }

  /// Whether a connection is there yet, or room to write, is up to the peer, and so is how many
  /// connections a turn of the loop finds ready.
  public func countersOfTiming(_ style: Style) -> Set<Counter> {
    if load == .jobs || parameters.contains(where: { $0.name == "greedy" }) { return Counter.ofWork }
    // A socket of datagrams is read until there is none.
    if load == .accept || load == .stream || transport == .udp { return [.vainCalls, .instructions] }
    return parameters.contains { $0.name == "connections" } ? [.instructions] : []
  }

  /// As `Workload` has it.
  public func makeInstance(
    style: Style, parameters: ParameterValues, context: WorkloadContext
  ) throws -> any WorkloadInstance {
    guard let row = rows.first(where: { $0.style == style }) else {
      throw UsageError("\(name) has no style \(style)")
    }
    return try ServerInstance(
      load: load, transport: transport,
      identity: isSecure || parameters.value("tls") == 1 ? try identity(parameters, context) : nil,
      serve: row.serve, parameters: parameters, context: context)
  }

  /// Makes a certificate and a key. What is encrypted with the keys of an echo doesn't depend on them.
  private func identity(_ parameters: ParameterValues, _ context: WorkloadContext) throws -> String {
    let bits = parameters.value("key") ?? 256
    let path = context.directory + "/identity-\(bits).pem"
    guard load_generator_write_identity(path, UInt32(bits)) == 0 else {
      throw UsageError("cannot make a key of \(bits) bits in \(path)")
    }
    return path
  }
}

/// One style of a `ServerWorkload`.
private final class ServerInstance: WorkloadInstance {
  private let load: ServerWorkload.Load
  private let transport: ServerWorkload.Transport
  private let path: String?
  private let identity: String?
  private let resumes: Int
  private let serve: ServerRow
  private let connections: Int
  private let greedy: Int
  private let pipelined: Int
  private let size: Int
  private let limit: Int
  private let loops: Int
  private let watch: Watch
  private let dialogue: Dialogue
  private let processors: Int
  private let abort: @Sendable (any Error) -> Never

  init(
    load: ServerWorkload.Load, transport: ServerWorkload.Transport, identity: String?,
    serve: @escaping ServerRow, parameters: ParameterValues, context: WorkloadContext
  ) throws {
    self.load = load
    self.transport = transport
    path = transport == .pipe ? context.directory + "/server" : nil
    self.identity = identity
    resumes = parameters.value("resumed") ?? 0
    self.serve = serve
    connections = parameters.value("connections") ?? parameters.value("in-flight") ?? 1
    greedy = parameters.value("greedy") ?? 0
    pipelined = parameters.value("pipelined") ?? 1
    size = load == .jobs ? Int(BENCH_JOB) : parameters["size"]
    limit = parameters.value("limit") ?? 0
    loops = parameters.value("loops") ?? 1
    watch = Watch(rawValue: parameters.value("watch") ?? 0) ?? .nothing
    guard (1...connections).contains(loops) else {
      throw UsageError("\(connections) connections cannot be served by \(loops) loops")
    }
    // Client and server each have a processor, unless the case says otherwise or
    // there is but one.
    processors = min(Int(bench_usable_cpus()), parameters.value("cores") ?? 2)
    dialogue = try Dialogue(context: context)
    abort = context.abort
  }

  func run(_ request: RunRequest) throws -> RunOutcome {
    // Loops of one process may share a processor with the load generator, since they are more than one.
    if loops == 1 { bench_pin_thread(bench_usable_cpu(0)) } else { bench_unpin_thread() }
    let warmUp = self.warmUp
    var values = [
      ("mode", load.rawValue), ("transport", transport.rawValue), ("connections", "\(connections)"),
      ("size", "\(size)"),
      ("operations", "\(request.operations)"), ("warmup", "\(warmUp)"), ("seed", "\(request.seed)"),
      ("silent", request.wantsLatencies ? "0" : "1"),
      // On another machine it is up to the system.
      (
        "cpu",
        dialogue.isFromElsewhere
          ? "-1" : "\(bench_usable_cpu(processors > 1 && !request.isDuel ? 1 : 0))"
      ),
    ]
    if identity != nil { values += [("tls", "1"), ("resumes", "\(resumes)")] }
    if load == .http { values.append(("pipelined", "\(pipelined)")) }
    if greedy != 0 { values.append(("greedy", "1")) }
    if let arrivals = request.arrivals {
      values += [("rate", "\(arrivals.rate)"), ("poisson", arrivals.isPoisson ? "1" : "0")]
    }
    if let path { values.append(("path", path)) }
    let load = values
    let dialogue = self.dialogue
    let meter = request.meter
    let total = self.load == .accept ? warmUp + request.operations : connections + greedy
    let memory = self.load == .turns ? HeldMemory(connections) : nil
    let begin: @Sendable ([UInt16]) -> Void = {
      memory?.note(.before)
      dialogue.begin(ports: $0, load: load, meter: meter) { memory?.note(.idle) }
    }
    var task = ServerTask(
      host: dialogue.host, connections: total, size: size, seed: request.seed, identity: identity, path: path,
      limit: limit,
      watch: watch
    ) { begin([$0]) }
    task.closed = { memory?.note(.after) }
    let report =
      loops == 1
      ? try serve(task) : ServerLoops(serve, task, count: loops, abort: abort, begin: begin).serve()
    var outcome = try dialogue.end()
    let messages = warmUp + request.operations
    try check(report, messages, greedyBytes: Int(outcome.counters[.greedyBytes] ?? 0))
    outcome.counters.merge(report.jobs.counters(of: request.operations, among: messages)) { $1 }
    if let memory { outcome.counters.merge(memory.counters(of: request.operations)) { $1 } }
    return outcome
  }

  /// Operations before the window opens, on the connections that are then measured.
  private var warmUp: Int {
    switch load {
    case .echo, .http, .jobs: max(connections * 4 * pipelined, 200)
    case .turns: connections
    case .accept, .stream: 64
    }
  }

  private func check(_ report: ServerReport, _ messages: Int, greedyBytes: Int) throws {
    let isHTTP = load == .http
    let written = messages * (isHTTP ? bench_http_answer_size(size) : size) + greedyBytes
    let read = isHTTP ? messages * Int(BENCH_HTTP_REQUEST) : written
    guard report.bytesWritten == written else {
      throw WrongWork("\(report.bytesWritten) bytes were sent, not \(written)")
    }
    guard load == .stream || report.bytesRead == read else {
      throw WrongWork("\(report.bytesRead) bytes were received, not \(read)")
    }
  }
}
