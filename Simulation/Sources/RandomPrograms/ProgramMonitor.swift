import Glibc
import SimulatedWorlds
import UV
import WorldSupport

/// Looks now and then whether somebody waits for what is there: a reader for bytes, a writer for room, or somebody for the end
/// of writes that have ended. What is seen three times without a change won't change any more.
final class ProgramMonitor {
  private unowned let side: ProgramSide
  private var seen: [String: (state: [Int], times: Int)] = [:]

  init(_ side: ProgramSide) { self.side = side }

  /// How far the looks are apart. No turn takes as long as two.
  static let interval = Duration.milliseconds(100)
  private static let times = 4

  nonisolated(nonsending) func watch() async {
    while (try? await side.loop.sleep(for: Self.interval).value) != nil {
      for (index, end) in side.ends.enumerated() { look(at: end!, "stream \(index) of side \(side.number)") }
      for pool in side.services.pools { pool.look() }
    }
  }

  private func look(at end: ProgramStreamEnd, _ name: String) {
    let stream = end.stream
    guard !stream.isClosing, let descriptor = try? stream.fileDescriptor() else { return }
    let unread = stream.unreadByteCount
    if let (place, need) = end.firstWait {
      let isThere = need.map { unread >= $0 } ?? false
      note("\(name): a reader waits for what is there", isThere || poll(descriptor, POLLIN), [place, unread])
    } else {
      note("\(name): a reader waits for what is there", false, [])
    }
    let queued = stream.writeQueueSize
    note("\(name): bytes wait, and there is room", queued > 0 && poll(descriptor, POLLOUT), [queued])
    note("\(name): a drain waits for nothing", queued == 0 && end.openDrains > 0, [end.openDrains])
    note("\(name): a shutdown waits for nothing", queued == 0 && end.openShutdowns > 0, [end.openShutdowns])
  }

  private func note(_ text: String, _ isSo: Bool, _ state: [Int]) {
    guard isSo, seen[text]?.state == state else {
      seen[text] = isSo ? (state, 1) : nil
      return
    }
    seen[text]!.times += 1
    if seen[text]!.times == Self.times { side.world.complain("\(text) \(state)") }
  }

  private func poll(_ descriptor: Int32, _ events: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return Glibc.poll(&entry, 1, 0) > 0
  }
}
