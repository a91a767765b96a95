import Glibc
import SimulatedWorlds
import UV
import UVSimulation
import WorldSupport

/// What one side of a program has beside its streams, each with its model.
final class ProgramServices {
  private let loop: EventLoop
  private let world: ProgramWorld
  private let side: Int
  private var files: [ProgramFile] = []
  private var pools: [ProgramPoolModel] = []
  private var group: EventLoopGroup?
  private var others: [LoopExecutor] = []
  private var http: ProgramHTTP?
  private var lastWork = 0
  private var begun: Set<Int> = []
  private var lastChecks: [() -> Void] = []

  init(_ loop: EventLoop, _ world: ProgramWorld, _ side: Int) {
    (self.loop, self.world, self.side) = (loop, world, side)
  }

  func atEnd(_ body: @escaping () -> Void) { lastChecks.append(body) }

  nonisolated(nonsending) func setUp() async throws {
    for number in 0..<world.program.files {
      let file = try await loop.files.open("/tmp/file\(side)\(number)", .readWrite, options: .create).value
      files.append(ProgramFile(file))
    }
    pools = world.program.pools.map { ProgramPoolModel(loop, world, $0) }
    let actions = world.program.steps.map(\.action)
    let needsGroup = actions.contains { action in
      switch action {
      case .submit, .run: true
      default: false
      }
    }
    if actions.contains(where: { if case .http = $0 { true } else { false } }) {
      http = try ProgramHTTP(loop, world, side: side)
    }
    if needsGroup {
      let group = try EventLoopGroup(count: 2)
      self.group = group
      others = group.executors
    }
  }

  nonisolated(nonsending) func end() async throws {
    for pool in pools { try await pool.end() }
    try await http?.end()
    for file in files { try await file.check(loop) }
    if let group { _ = await group.shutdownGracefully(within: .seconds(10)) }
    for body in lastChecks { body() }
    // What an operation has made that nobody waited for goes by the next ones.
    try await loop.sleep(for: .milliseconds(100)).value
    let left = try await loop.files.scandir("/tmp").value.map { "\($0.name)" }
      .filter { name in !["file", "whole", "made", "socket"].contains { name.hasPrefix($0) } }
    try expect(left.isEmpty, "names are left: \(left)")
  }

  func check() throws { for pool in pools { try pool.check() } }

  func perform(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide) async {
    let loop = loop
    switch step.action {
    case .fileWrite(let number, _, _), .fileRead(let number), .fileSync(let number), .fileStatus(let number):
      if number < files.count { await files[number].perform(step, track, side) }
    case .fileOpen:
      await side.ask(
        step, track, callback: { loop.files.open("/tmp/made", .writeOnly, options: .create, $0) },
        { loop.files.open("/tmp/made", .writeOnly, options: .create) }
      ) { if case .success(let file)? = $0 { file.close() } }
    case .wholeFile(let count):
      let path = "/tmp/whole\(side.number)"
      await side.ask(step, track, { loop.files.writeFile(path, message(count, count), atomically: true) })
    case .temporaryFolder:
      await side.ask(step, track, { loop.files.mkdtemp("/tmp/XXXXXX") }) {
        if case .success(let path)? = $0 { loop.files.rmdir(path) { _ in } }
      }
    case .lease(let number, let holding, let isDiscarded):
      if number < pools.count { await pools[number].lease(step, track, side, holding, isDiscarded) }
    case .closePool(let number): if number < pools.count { await pools[number].close(step, track, side) }
    case .work(let time): await work(step, track, side, time)
    case .submit(let value):
      let executor = others[value % 2]
      await side.ask(step, track, { executor.submit(on: loop) { _ in value } }) { [world] in
        if case .success(let answer)? = $0, answer != value { world.complain("\(step) is \(answer)") }
      }
    case .run(let time):
      let executor = others[time % 2]
      await side.ask(
        step, track,
        {
          executor.run(on: loop) { (other: EventLoop) async throws(UVError) -> Int in
            try await other.sleep(for: .microseconds(time)).value
            return time
          }
        }
      ) { [world] in
        if case .success(let answer)? = $0, answer != time { world.complain("\(step) is \(answer)") }
      }
    case .resolve:
      await side.ask(
        step, track, callback: { loop.dns.resolve("server", port: 80, $0) },
        { loop.dns.resolve("server", port: 80) }
      ) {
        [world] in
        if case .success(let found)? = $0, !found.contains(where: { $0.port == 80 }) {
          world.complain("\(step): \(found)")
        }
      }
    case .child(let count, let code):
      let input = message(code, count)
      await side.ask(step, track, { loop.processes.run("filter", ["\(code)"], input: input) }) { [world] in
        guard case .success(let result)? = $0 else { return }
        if result.standardOutput != input || result.terminationStatus.code != code {
          world.complain("\(step): \(result.standardOutput.count) bytes, \(result.terminationStatus)")
        }
      }
    case .datagrams(let count, let bytes): await send(step, track, side, count, bytes)
    case .http(let count, let time): await http?.get(step, track, side, count, time)
    default: break
    }
  }

  private func work(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide, _ time: Int) async {
    lastWork += 1
    let (number, loop) = (lastWork, loop)
    // Sound: one thread of a world runs at a time.
    nonisolated(unsafe) let services = self
    let body: @Sendable () -> Int = {
      if !services.begun.insert(number).inserted { services.world.complain("\(step) runs twice") }
      usleep(UInt32(time))
      return number
    }
    await side.ask(step, track, callback: { loop.work(body, $0) }, { loop.work(body) }) { [self] in
      if case .success(let answer)? = $0, answer != number { world.complain("\(step) is \(answer)") }
    }
  }

  /// Datagrams to a socket of this loop. Each comes once at most, and whole.
  private func send(
    _ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide, _ count: Int, _ size: Int
  ) async {
    guard let here = try? loop.udp.bind(host: "127.0.0.1", port: 0),
      let there = try? loop.udp.bind(host: "127.0.0.1", port: 0),
      let address = try? there.localAddress()
    else { return world.complain("\(step): no socket") }
    var seen: Set<Int> = []
    there.start { [world] result in
      guard case .success(let datagram?) = result else { return }
      let number = Int(datagram.bytes.bigEndian(UInt32.self))
      if !seen.insert(number).inserted, world.program.weather.duplication == 0 {
        world.complain("\(step): \(number) came twice")
      }
      if datagram.bytes.count != size + 4 { world.complain("\(step): \(datagram.bytes.count) bytes") }
    }
    let datagrams = (0..<count).map { number in
      var bytes = BytesBuilder()
      bytes.append(bigEndian: UInt32(number))
      bytes.append(message(number, size))
      return Datagram(bytes.takeBytes(), to: address)
    }
    await side.ask(step, track, callback: { here.send(datagrams, $0) }, { here.send(datagrams) }) {
      [loop, world] result in
      let isSent = if case .success? = result { true } else { false }
      // Nothing of it takes time on one host.
      loop.sleep(for: .seconds(1)) { _ in
        if isSent, world.program.weather.loss == 0, seen.count != count {
          world.complain("\(step): \(seen.count) of \(count) have come")
        }
        here.close()
        there.close()
      }
    }
  }
}
