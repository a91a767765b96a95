import Glibc
import SimulatedWorlds
import Synchronization
import UV
import UVSimulation
import WorldSupport

/// What one side of a program has beside its streams, each with its model.
final class ProgramServices {
  private let loop: EventLoop
  private let world: ProgramWorld
  private let side: Int
  private var files: [ProgramFile] = []
  private(set) var pools: [ProgramPoolModel] = []
  private var folder: ProgramFolder?
  private var group: EventLoopGroup?
  private var others: [LoopExecutor] = []
  private var http: ProgramHTTP?
  private var lastWork = 0
  private var lastChecks: [() -> Void] = []

  init(_ loop: EventLoop, _ world: ProgramWorld, _ side: Int) {
    (self.loop, self.world, self.side) = (loop, world, side)
  }

  func atEnd(_ body: @escaping () -> Void) { lastChecks.append(body) }

  nonisolated(nonsending) func setUp() async throws {
    for number in 0..<world.program.files {
      let file = try await loop.files.open(
        "\(world.place.folder)/file\(side)\(number)", .readWrite, options: .create
      ).value
      files.append(ProgramFile(file))
    }
    pools = world.program.pools.map { ProgramPoolModel(loop, world, world.sides[side], $0) }
    let actions = world.program.steps.map(\.action)
    let needsGroup = actions.contains { action in
      switch action {
      case .submit, .run, .post: true
      default: false
      }
    }
    if actions.contains(where: { if case .http = $0 { true } else { false } }) {
      http = try ProgramHTTP(loop, world, side: side)
    }
    if actions.contains(where: { if case .folder = $0 { true } else { false } }) {
      folder = try await ProgramFolder(world.sides[side]!)
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
    await folder?.end()
    if let group { _ = await group.shutdownGracefully(within: .seconds(10)) }
    for body in lastChecks { body() }
    // What an operation has made that nobody waited for goes by the next ones.
    try await loop.sleep(for: .milliseconds(100)).value
    let left = try await loop.files.scandir(world.place.folder).value.map { "\($0.name)" }
      .filter { name in !["file", "whole", "made", "socket", "folder"].contains { name.hasPrefix($0) } }
    try expect(left.isEmpty, "names are left: \(left)")
  }

  func check() throws { for pool in pools { try pool.check() } }

  func perform(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide) async {
    let (loop, folder, server) = (loop, world.place.folder, world.place.server)
    switch step.action {
    case .fileWrite(let number, _, _), .fileRead(let number), .fileSync(let number), .fileStatus(let number):
      if number < files.count { await files[number].perform(step, track, side) }
    case .fileOpen:
      await side.ask(
        step, track, callback: { loop.files.open("\(folder)/made", .writeOnly, options: .create, $0) },
        { loop.files.open("\(folder)/made", .writeOnly, options: .create) }
      ) { if case .success(let file)? = $0 { file.close() } }
    case .wholeFile(let count):
      let path = "\(folder)/whole\(side.number)"
      await side.ask(step, track, { loop.files.writeFile(path, message(count, count), atomically: true) })
    case .temporaryFolder:
      await side.ask(step, track, { loop.files.mkdtemp("\(folder)/XXXXXX") }) {
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
        step, track, callback: { loop.dns.resolve(server, port: 80, $0) },
        { loop.dns.resolve(server, port: 80) }
      ) {
        [world] in
        if case .success(let found)? = $0, !found.contains(where: { $0.port == 80 }) {
          world.complain("\(step): \(found)")
        }
      }
    case .child(let count, let code):
      let input = message(code, count)
      await side.ask(
        step, track,
        { [place = world.place] in
          loop.processes.run(place.filter, place.arguments("\(code)"), input: input)
        }
      ) { [world] in
        guard case .success(let result)? = $0 else { return }
        if result.standardOutput != input || result.terminationStatus.code != code {
          world.complain("\(step): \(result.standardOutput.count) bytes, \(result.terminationStatus)")
        }
      }
    case .datagrams(let count, let bytes):
      do throws(UVError) { await (try ProgramDatagrams(step, side, bytes)).run(track, count) } catch {
        world.complain("\(step): \(error)")
      }
    case .post(let count): await side.post(step, track, count, others[count % 2])
    case .folder(let kind): await self.folder?.perform(step, track, kind)
    case .http(let count, let time): await http?.get(step, track, side, count, time)
    default: break
    }
  }

  private func work(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide, _ time: Int) async {
    lastWork += 1
    let (number, loop) = (lastWork, loop)
    let runs = WorkRuns()
    let body: @Sendable () -> Int = {
      runs.count.wrappingAdd(1, ordering: .relaxed)
      usleep(UInt32(time))
      return number
    }
    atEnd { [world] in if runs.count.load(ordering: .relaxed) > 1 { world.complain("\(step) runs twice") } }
    await side.ask(step, track, callback: { loop.work(body, $0) }, { loop.work(body) }) { [self] in
      if case .success(let answer)? = $0, answer != number { world.complain("\(step) is \(answer)") }
    }
  }
}

/// How often a work has run, on whatever thread.
private final class WorkRuns: Sendable {
  let count = Atomic<Int>(0)
}
