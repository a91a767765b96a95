import UV
import UVSimulation

/// Names that are looked up while `/etc/hosts` changes, in many styles and with cancellations. Each answer is what the file
/// has said at some moment of the question, whole, and a connection by name goes to a server that the name meant then.
func changingNames(_ world: World, _ ledger: Ledger) throws {
  let over = Shared(0)
  let addresses = Shared<[String]>([])
  let servers = (0..<2).map { number in
    world.node("server \(number)") { loop in
      let listener = try loop.tcp.listen(port: 7)
      loop.spawn {
        do throws(UVError) {
          for try await connection in listener {
            connection.write(Bytes("\(number)\n")) { _ in connection.close() }
          }
        } catch { ledger.complain("\(error)") }
      }
      while over.value < 1 { try await loop.sleep(for: .milliseconds(100)).value }
      listener.close()
    }
  }
  addresses.value = servers.map(\.address)
  world.node("client") { loop in
    let names = HostsFile(loop, addresses.value, ledger)
    try await names.write()
    let writing = loop.spawn { () async throws in
      for _ in 0..<(2 + loop.draw(10)) {
        try await loop.dawdle()
        try await names.write()
      }
    }
    let readers = (0..<4).map { number in
      loop.spawn { () async throws in
        for round in 0..<6 {
          try await names.look(number + round)
          try await loop.dawdle()
        }
      }
    }
    for task in readers { try await task.value }
    try await writing.value
    over.value += 1
  }
}

/// The file, and what it has said since when.
private final class HostsFile {
  private let loop: EventLoop
  private let servers: [String]
  private let ledger: Ledger
  /// What it says by version: no address means that the name isn't there.
  private var versions: [Set<String>] = []
  /// The version that is there, or the one before, while another one is being written.
  private var least = 0

  init(_ loop: EventLoop, _ servers: [String], _ ledger: Ledger) {
    (self.loop, self.servers, self.ledger) = (loop, servers, ledger)
  }

  nonisolated(nonsending) func write() async throws(UVError) {
    let kind = versions.isEmpty ? 0 : loop.draw(4)
    let server = servers[loop.draw(servers.count)]
    // Addresses of the same kind, so that each version has a pair of its own.
    let other = "fd00::\(server.split(separator: ".").last!)"
    let addresses: Set<String> = kind == 1 ? [] : kind == 2 ? [server] : [server, other]
    versions.append(addresses)
    var text = "127.0.0.1 localhost\n# version \(versions.count)\n"
    for address in addresses.sorted() { text += "\(address)\tname other # \(address)\n" }
    if addresses.isEmpty { text += "10.0.0.99 another\n" }
    try await loop.files.writeFile("/etc/hosts", Bytes(Array(text.utf8)), atomically: true).value
    least = versions.count - 1
  }

  nonisolated(nonsending) func look(_ number: Int) async throws {
    let first = least
    if number % 3 == 0 { return try await connect(first) }
    let isPatient = !loop.isDrawn(oneIn: 3)
    let name = number % 3 == 1 ? "name" : "OTHER"
    let answered = Request<Void>(loop) { [self] done in
      let noted: Completion<[SocketAddress]> = ledger.ask("a lookup") { [self] result in
        judge(result, first, isPatient)
        done(.success(()))
      }
      let pending = loop.dns.resolve(name, port: 7, noted)
      if !isPatient { loop.cancel(pending) }
      return pending
    }
    try await answered.value
  }

  private func judge(_ result: Result<[SocketAddress], UVError>, _ first: Int, _ isPatient: Bool) {
    let may = versions[first...]
    switch result {
    case .success(let found):
      let addresses = Set(found.map { "\($0.host)" })
      if found.contains(where: { $0.port != 7 }) || !may.contains(addresses) {
        ledger.complain("\(addresses), and the file has said \(may)")
      }
    case .failure(let error):
      if error.isCancelled, !isPatient { return }
      if error.code != .unknownHost || !may.contains([]) {
        ledger.complain("\(error), and the file has said \(may)")
      }
    }
  }

  private nonisolated(nonsending) func connect(_ first: Int) async throws {
    do throws(UVError) {
      let connection = try await loop.tcp.connect(host: "name", port: 7).value
      let line = try await connection.readLine(limit: 10).value
      connection.close()
      let number = line.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
      let may = versions[first...].contains { version in number.map { version.contains(servers[$0]) } ?? false
      }
      if !may { ledger.complain("server \(String(describing: number)) answers, and isn't the name's") }
    } catch {
      // Each family is asked for by itself, so that one may not have been there, and then nothing.
      let isUnknown = error.code == .unknownHost || error.description.contains("EAI_ADDRFAMILY")
      if !isUnknown || !versions[first...].contains([]) { throw error }
    }
  }
}
