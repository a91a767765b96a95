import SimulatedWorlds
import UV
import WorldSupport

/// A folder that changes, with watchers: one by a handler, one by reads that are given up now and then, one of all that is
/// below. Each change is reported to each of them soon.
final class ProgramFolder {
  private let side: ProgramSide
  private let path: String
  private var watchers: [FileWatcher] = []
  private var tasks: [LoopTask<Void, Never>] = []
  /// When each watcher has reported a name last.
  private var reports: [[String: LoopClock.Instant]] = []
  private var lastNumber = 0
  private var isComplete = false

  nonisolated(nonsending) init(_ side: ProgramSide) async throws {
    self.side = side
    path = "\(side.world.place.folder)/folder\(side.number)"
    let loop = side.loop
    try await loop.files.mkdir(path).value
    for number in 0..<3 { watchers.append(try loop.files.watch(path, recursive: number == 2)) }
    reports = Array(repeating: [:], count: 3)
    watchers[0].start { [self] in if case .success(let event?) = $0 { note(0, event) } }
    for number in 1...2 {
      let watcher = watchers[number]
      tasks.append(
        loop.spawn { [self] in
          var round = 0
          while true {
            round += 1
            do throws(UVError) {
              let next = watcher.next()
              let event = try await round % 2 == 0 ? next.timeout(after: .milliseconds(3)).value : next.value
              guard let event else { return }
              note(number, event)
            } catch { if error.code != .timedOut { return } }
          }
        })
    }
    while !isComplete { try await loop.sleep(for: .milliseconds(1)).value }
  }

  private func note(_ watcher: Int, _ event: FileEvent) {
    if event.kinds.contains(.complete) { isComplete = true }
    if let name = event.name?.string { reports[watcher][name] = side.loop.clock.now }
  }

  /// Waits until each watcher has reported a name, which must be soon.
  private func expectReports(of name: String, since begin: LoopClock.Instant, _ step: String) async {
    let (loop, limit) = (side.loop, side.slack + .milliseconds(200))
    let start = loop.clock.now
    while true {
      let missing = reports.indices.filter { number in
        !watchers[number].isClosing && (reports[number][name].map { $0 < begin } ?? true)
      }
      if missing.isEmpty { return }
      if start.duration(to: loop.clock.now) > limit {
        return side.world.complain("\(step): \(name) isn't reported to the watchers \(missing)")
      }
      try? await loop.sleep(for: .milliseconds(50)).value
    }
  }

  /// Makes, replaces, renames or removes something, and looks for the reports.
  func perform(_ step: ProgramStep, _ track: ProgramTrack, _ kind: Int) async {
    lastNumber += 1
    let (loop, name) = (side.loop, kind % 2 == 0 && kind < 4 ? "name\(lastNumber % 3)" : "own\(lastNumber)")
    let (whole, begin) = ("\(path)/\(name)", loop.clock.now)
    let later: (Result<Void, UVError>?) -> Void = { [self] result in
      guard case .success? = result else { return }
      loop.spawn { [self] in await expectReports(of: name, since: begin, "\(step)") }
    }
    switch kind / 2 {
    case 0: await side.ask(step, track, { loop.files.writeFile(whole, message(kind, 500)) }, then: later)
    case 1:
      await side.ask(
        step, track, { loop.files.writeFile(whole, message(kind, 500), atomically: true) }, then: later)
    default:
      let made = "\(path)/folder\(lastNumber)"
      await side.ask(step, track, callback: { loop.files.mkdir(made, $0) }, { loop.files.mkdir(made) }) {
        result in
        guard case .success? = result else { return }
        loop.files.rename(made, to: whole) { later($0) }
      }
    }
  }

  nonisolated(nonsending) func end() async {
    for watcher in watchers { watcher.close() }
    for task in tasks { await task.value }
  }
}
