import UV
import UVSimulation

/// A child that leads a group of processes, which ends as a whole: each of its members, and nobody else. The end of what
/// they write comes in time, since nobody of them is left who could write.
func processGroups(_ world: World, _ ledger: Ledger) throws {
  world.executable("worker") { loop, _ in
    let output = try loop.standardOutput
    while true {
      try await output.write(".").value
      try await loop.sleep(for: .milliseconds(Int64(1 + loop.draw(200)))).value
    }
  }
  world.executable("stranger") { loop, _ in
    let input = try loop.standardInput
    while try await input.next().value != nil {}
    return 7
  }
  world.executable("leader") { loop, arguments in
    // Its members have its output, and begin one after the other.
    for _ in 0..<Int(arguments[0])! {
      let child = try loop.processes.spawn("worker", stdio: [.ignore, .inherit])
      child.keepsLoopRunning = false
      try await loop.sleep(for: .milliseconds(Int64(loop.draw(30)))).value
    }
    if arguments[1] == "leaves" { return 3 }
    try await loop.sleep(for: .seconds(100_000)).value
    return 0
  }
  world.node("server") { loop in
    for _ in 0..<(1 + loop.draw(4)) {
      let stranger = try loop.processes.spawn("stranger", stdio: [.pipe])
      let tasks = (0..<(1 + loop.draw(2))).map { number in
        loop.spawn { () async throws in try await endGroup(loop, number) }
      }
      for task in tasks { try await task.value }
      try expect(stranger.exitStatus == nil, "one that isn't in the group has ended")
      try await stranger.standardInput!.close().value
      let status = try await stranger.exit().value
      try expect(status.code == 7, "the stranger ends with \(status)")
    }
  }
}

private func endGroup(_ loop: EventLoop, _ number: Int) async throws {
  let (count, leaves) = (loop.draw(5), loop.isDrawn(oneIn: 3))
  let leader = try loop.processes.spawn(
    "leader", ["\(count)", leaves ? "leaves" : "stays"], isDetached: true, stdio: [.ignore, .pipe])
  let (group, output) = (-leader.processID, leader.standardOutput!)
  let reading = loop.spawn { () async throws in while try await output.next().value != nil {} }
  try await loop.sleep(for: .milliseconds(Int64(loop.draw(300)))).value
  let signal: Signal = loop.isDrawn(oneIn: 2) ? .kill : .terminate
  var isOver = false
  do throws(UVError) { try loop.processes.kill(group, signal) } catch {
    // A leader without members may have left.
    guard error.code == .noSuchProcess, leaves, count == 0 else { throw error }
    isOver = true
  }
  let begin = loop.clock.now
  try await reading.value
  // The loop may be busy for a while.
  let time = begin.duration(to: loop.clock.now)
  try expect(time < .seconds(2), "the group's output has ended \(time) after the group")
  let status = try await leader.exit().value
  if leaves {
    try expect(status.code == 3 || status.signal == signal, "the leader ends with \(status)")
  } else {
    try expect(status.signal == signal && !isOver, "the leader ends with \(status)")
  }
  do throws(UVError) {
    try loop.processes.kill(group, Signal(rawValue: 0))
    throw UVError(.invalidArgument, operation: "group \(number) is left")
  } catch { try expect(error.code == .noSuchProcess, "\(error)") }
  output.close()
}
