import UV
import UVSimulation

/// Everything with a date fires in time on a loop that nothing else wakes. Another timer, or a look now and then, would
/// have the loop notice a date that it had missed.
func unattended(_ world: World, _ ledger: Ledger) throws {
  let ended = Shared(0)
  world.node("a", mayBeBusy: false) { loop in
    let lateness = Lateness(loop, ledger)
    let things = DatedThings(lateness, ledger)
    for _ in 0..<6 {
      // Several begin in one turn, those with far dates before others and behind them.
      for _ in 0...loop.draw(2) {
        let begun = (0...loop.draw(4)).map { _ in
          (Dated.allCases[loop.draw(Dated.allCases.count)], Duration.milliseconds(loop.drawLength()))
        }
        switch loop.draw(4) {
        case 0: break
        case 1: try await loop.sleep(for: .milliseconds(loop.drawLength())).value
        case 2: _ = try await loop.work { 1 }.value
        default: _ = try await loop.files.stat("/").value
        }
        for (thing, length) in begun { try things.begin(thing, length) }
      }
      await things.wait()
    }
    lateness.end()
    ended.value += 1
  }
  world.eventually("each date has come", within: .seconds(100_000)) { ended.value == 1 }
}

extension EventLoop {
  /// A length in milliseconds: a few, about a second, where the loop begins to count otherwise, some seconds, or minutes.
  fileprivate func drawLength() -> Int {
    switch draw(4) {
    case 0: 1 + draw(30)
    case 1: 950 + draw(100)
    case 2: 1000 + draw(5000)
    default: 10_000 + draw(100_000)
    }
  }
}
