import CBenchSupport
import CLoadGenerator

/// Measures a row of a peer, by the contract in `bench/peers/README.md`: the peer works, and its processor
/// time is read from outside.
public final class PeerWorker: RowWorker {
  private let child: ChildProcess
  private let server: (port: String, generator: LoadGenerator)?
  /// What a client asks.
  private let hello: HelloServer?

  /// Starts the peer's program, by the command before it if there is one. Its files are in `directory`.
  public init(
    _ peer: Peer, folder: String, id: WorkloadID, directory: String, by tool: [String] = []
  ) throws {
    var command =
      tool + peer.command(in: folder) + [id.workload] + id.parameters.pairs + ["directory=\(directory)"]
    hello = id.workload == "http-client" ? try HelloServer(size: id.parameters["size"]) : nil
    if let hello { command.append("port=\(hello.port)") }
    let isServer = hello == nil && ["tls-", "tcp-", "http-", "resp-"].contains { id.workload.hasPrefix($0) }
    if id.workload.hasPrefix("tls-") {
      let path = directory + "/identity-\(id.parameters.value("key") ?? 256).pem"
      guard load_generator_write_identity(path, UInt32(id.parameters.value("key") ?? 256)) == 0 else {
        throw UsageError("cannot write \(path)")
      }
      command.append("identity=\(path)")
    }
    // A child begins where the thread is that starts it: as our own row, on one processor or on all of them.
    if isServer || hello != nil || id.parameters.value("cores") == 1 { bench_pin_thread(bench_usable_cpu(0)) }
    defer { bench_unpin_thread() }
    child = try ChildProcess(command)
    guard isServer else {
      server = nil
      return
    }
    let line = try child.readLine(within: tool.isEmpty ? 30 : 120)
    // Or `listening on HOST:PORT`, as the examples say it.
    let port = line.split(separator: ":").last.map(String.init) ?? ""
    guard let number = UInt16(port), number > 0 else {
      throw WorkerFailure("\(peer.name) said `\(line.prefix(200))` and not its port")
    }
    server = (port, try LoadGenerator(Executable.generator))
  }

  public func ask(_ request: WorkerRequest, within seconds: Double) throws -> WorkerAnswer {
    let process = child.id
    let meter = Meter(usage: { ProcessUsage.now(of: process) })
    PeakMemory.reset(of: "\(process)")
    var answer = try meter.answer(for: request.id, peak: { _ in PeakMemory.bytes(of: "\(process)") }) {
      guard let server else { return try work(request, meter: meter, within: seconds) }
      return try server.generator.run(load(request, port: server.port), meter: meter)
    }
    if server == nil { answer.checksum = "" }
    answer.counters = [:]
    return answer
  }

  public func finish() { child.finish(within: 30) }

  /// What a server uses while another program puts a load on its port, from where ours does; and what that
  /// program prints.
  public func load(
    by command: (_ port: String) -> [String]
  ) throws -> (usage: ProcessUsage, lines: [String]) {
    guard let server else { throw UsageError("this peer is no server") }
    bench_pin_thread(Self.generatorCPU)
    defer { bench_unpin_thread() }
    let before = ProcessUsage.now(of: child.id)
    var lines: [String] = []
    try Executable.run(command(server.port)) { lines.append($0) }
    return (ProcessUsage.now(of: child.id).since(before), lines)
  }

  private func load(_ request: WorkerRequest, port: String) -> [(String, String)] {
    let mode = Self.mode(request.id.workload)
    let connections = request.id.parameters[mode == "accept" ? "in-flight" : "connections"]
    let pipelined = request.id.parameters.value("pipelined") ?? 1
    return request.load + [
      ("port", port), ("mode", mode), ("connections", "\(connections)"),
      ("warmup", "\(mode == "accept" ? 64 : max(connections * 4 * pipelined, 200))"),
      ("tls", request.id.workload.hasPrefix("tls-") ? "1" : "0"),
      ("resumes", "\(request.id.parameters.value("resumed") ?? 0)"), ("cpu", "\(Self.generatorCPU)"),
    ]
  }

  private static var generatorCPU: Int32 { bench_usable_cpu(bench_usable_cpus() > 1 ? 1 : 0) }

  /// What the load generator does.
  private static func mode(_ workload: String) -> String {
    if let mode = ["http", "resp"].first(where: { workload.hasPrefix($0 + "-") }) { return mode }
    return workload.hasSuffix("echo") ? "echo" : "accept"
  }

  private func work(_ request: WorkerRequest, meter: Meter, within seconds: Double) throws -> RunOutcome {
    meter.open()
    try child.write("\(request.operations)")
    let line = try child.readLine(within: seconds)
    meter.close()
    let words = line.split(separator: " ").map { Int($0) }
    let expected = Self.found(request)
    guard words == [request.operations, expected] else {
      throw WrongWork("answered `\(line)`, not `\(request.operations) \(expected)`")
    }
    return RunOutcome(operations: request.operations, checksum: 0)
  }

  /// What a peer must have found when it has done all of its work.
  private static func found(_ request: WorkerRequest) -> Int {
    switch request.id.workload {
    case "fs-read": request.operations &* request.id.parameters["size"]
    case "then-chain": request.operations &* request.operations
    default: request.operations
    }
  }
}
