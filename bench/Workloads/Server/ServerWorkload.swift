import BenchHarness
import CBenchSupport
import CLoadGenerator

/// A workload in which the row is a server and the load comes from another process.
struct ServerWorkload: Workload {
  /// What the load generator does.
  enum Load: String, Sendable {
    /// Sends messages and expects them back; each connection waits for its answer.
    case echo
    /// The same on one connection after the other: all others are idle.
    case turns
    /// The same with a connection for every message, which the server closes.
    case accept
    /// Asks for a page by HTTP, whose body has `size` bytes.
    case http
    /// The same on one connection after the other: all others are idle.
    case httpTurns = "http-turns"
    /// Gets and sets keys of Redis, values of which have `size` bytes.
    case resp
    /// Has each connection get what one of them sends, and some of them read late.
    case fanOut = "fan-out"
    /// Asks for jobs, and counts which are done in time.
    case jobs
    /// Asks for writes of `size` bytes, and takes them in.
    case stream

    var hasTurns: Bool { self == .turns || self == .httpTurns }
    var isHTTP: Bool { self == .http || self == .httpTurns }
  }

  enum Transport: String, Sendable { case tcp, udp, pipe }

  var name: String
  var summary: String
  var note: String?
  var revision = 1
  var parameters: [Parameter]
  var load: Load
  var transport = Transport.tcp
  var isSecure = false
  /// The reference first.
  var rows: [(style: Style, serve: ServerRow)]
  var targets: [Target] = []

  var styles: [Style] { rows.map(\.style) }

  var hasOpenLoop: Bool { [.echo, .http, .resp, .jobs].contains(load) }

  var isSingleThreaded: Bool { load != .jobs }

  var isReachedByNetwork: Bool { transport != .pipe }

  /// A turn of all connections, where they have turns.
  var operationCount: OperationCount {
    load.hasTurns ? .parameter("connections") : load == .fanOut ? .parameter("messages") : .calibrated
  }

  /// Whether a connection is there yet, or room to write, is up to the peer, and so is how many
  /// connections a turn of the loop finds ready.
  func countersOfTiming(_ id: WorkloadID) -> Set<Counter> {
    if load == .jobs || parameters.contains(where: { $0.name == "greedy" }) { return Counter.ofWork }
    // How much is taken at once is up to a peer that reads late.
    if load == .fanOut { return [.systemCalls, .vainCalls, .waits, .instructions] }
    // A socket of datagrams is read until there is none.
    if load == .accept || load == .stream || transport == .udp { return [.vainCalls, .instructions] }
    return parameters.contains { $0.name == "connections" } ? [.instructions] : []
  }

  func makeInstance(
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
  private let sets: Int
  private let slow: Int
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
    (self.load, self.transport) = (load, transport)
    path = transport == .pipe ? context.directory + "/server" : nil
    self.identity = identity
    resumes = parameters.value("resumed") ?? 0
    self.serve = serve
    connections = parameters.value("connections") ?? parameters.value("in-flight") ?? 1
    greedy = parameters.value("greedy") ?? 0
    pipelined = parameters.value("pipelined") ?? 1
    sets = parameters.value("sets") ?? 0
    slow = parameters.value("slow") ?? 0
    guard slow < connections else { throw UsageError("\(slow) of \(connections) connections cannot be slow") }
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
    if load.isHTTP || load == .resp { values += [("pipelined", "\(pipelined)"), ("sets", "\(sets)")] }
    if load == .fanOut { values.append(("slow", "\(slow)")) }
    if greedy != 0 { values.append(("greedy", "1")) }
    values += request.arrivals?.values ?? []
    if let path { values.append(("path", path)) }
    let load = values
    let dialogue = self.dialogue
    let meter = request.meter
    let total = self.load == .accept ? warmUp + request.operations : connections + greedy
    // Of the connections themselves, or of what waits for the slow ones.
    let isIdle = self.load.hasTurns
    let memory = isIdle ? HeldMemory(connections) : slow > 0 ? HeldMemory(slow) : nil
    let begin: @Sendable ([UInt16]) -> Void = {
      if isIdle { memory?.note(.before) }
      dialogue.begin(ports: $0, load: load, meter: meter) { isOver in
        if isOver { memory?.note(.idle) } else if !isIdle { memory?.note(.before) }
      }
    }
    var task = ServerTask(
      host: dialogue.host, connections: total, size: size, seed: request.seed, identity: identity, path: path,
      limit: limit, watch: watch
    ) { begin([$0]) }
    task.closed = { memory?.note(.after) }
    let report =
      loops == 1
      ? try serve(task) : ServerLoops(serve, task, count: loops, abort: abort, begin: begin).serve()
    var outcome = try dialogue.end()
    let messages = warmUp + request.operations
    let greedyBytes = Int(outcome.counters[.greedyBytes] ?? 0)
    try check(report, bytes(of: messages) ?? (messages * size + greedyBytes, messages * size + greedyBytes))
    outcome.counters.merge(report.jobs.counters(of: request.operations, among: messages)) { $1 }
    if let memory { outcome.counters.merge(memory.counters(of: request.operations)) { $1 } }
    return outcome
  }

  /// Operations before the window opens, on the connections that are then measured.
  private var warmUp: Int {
    switch load {
    case .echo, .http, .jobs: max(connections * 4 * pipelined, 200)
    // Each key is then there.
    case .resp: connections * max(4 * pipelined, 2 * Int(BENCH_RESP_KEYS))
    case .turns, .httpTurns: connections
    case .fanOut: 16
    case .accept, .stream: 64
    }
  }

  /// What so many messages read and write, where they aren't sent back as they came.
  private func bytes(of messages: Int) -> (read: Int, written: Int)? {
    switch load {
    case .http, .httpTurns:
      return (messages * Int(BENCH_HTTP_REQUEST), messages * bench_http_answer_size(size))
    case .resp:
      // Each request of the warm-up sets a key.
      let sets = UInt64(warmUp + (messages - warmUp) * sets / 100)
      var (read, written) = (UInt64(0), UInt64(0))
      bench_resp_bytes(size, UInt64(messages) - sets, sets, &read, &written)
      return (Int(read), Int(written))
    case .fanOut: return (messages * size, messages * size * connections)
    default: return nil
    }
  }

  private func check(_ report: ServerReport, _ bytes: (read: Int, written: Int)) throws {
    guard report.bytesWritten == bytes.written else {
      throw WrongWork("\(report.bytesWritten) bytes were sent, not \(bytes.written)")
    }
    guard load == .stream || report.bytesRead == bytes.read else {
      throw WrongWork("\(report.bytesRead) bytes were received, not \(bytes.read)")
    }
  }
}
