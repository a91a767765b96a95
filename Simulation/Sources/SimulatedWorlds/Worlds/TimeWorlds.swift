import UV
import UVSimulation

let timeWorlds = [
  HuntedWorld("timers", timers), HuntedWorld("limits", limits), HuntedWorld("ticks", ticks),
]

/// Many timers at once. None is early, none ends twice or after it was cancelled, and dates come in their
/// order.
private func timers(_ world: World, _ ledger: Ledger) throws {
  for name in ["a", "b"] {
    // A long timer begins when its callback ends, so that one which computes changes their order.
    world.node(name, mayBeBusy: false) { loop in
      let last = Shared(UInt64(0))
      var pending: [PendingRequest] = []
      for number in 0..<60 {
        let length = Duration.nanoseconds(
          Int64(loop.draw([1, 5_000_000, 400_000_000, 200_000_000_000][loop.draw(4)])))
        let start = loop.clock.now
        let due =
          UInt64(start.nanoseconds) + UInt64(length.components.seconds) * 1_000_000_000
          + UInt64(length.components.attoseconds / 1_000_000_000)
        let isCancelled = Shared(false)
        let sleep = loop.sleep(
          for: length,
          ledger.ask("\(name): timer \(number)") { result in
            switch result {
            case .success:
              if start.duration(to: loop.clock.now) < length { ledger.complain("a timer was early") }
              if isCancelled.value { ledger.complain("a timer fired after it was cancelled") }
              // Those of one millisecond may come in any order.
              if due / 1_000_000 + 1 < last.value / 1_000_000 { ledger.complain("a later timer came before") }
              last.value = max(last.value, due)
            case .failure:
              if !isCancelled.value { ledger.complain("a timer was cancelled by nobody") }
            }
          })
        if loop.isDrawn(oneIn: 3) {
          pending.append(
            PendingRequest {
              isCancelled.value = true
              sleep.cancel()
            })
        }
        if loop.isDrawn(oneIn: 4), let one = pending.popLast() { one.cancel() }
        if loop.isDrawn(oneIn: 5) { try await loop.sleep(for: .microseconds(Int64(loop.draw(30_000)))).value }
      }
      // Long ones would take the world's time.
      try await loop.sleep(for: .seconds(loop.draw(20))).value
    }
  }
}

/// Sleeps and limits of tasks: none is early.
private func limits(_ world: World, _ ledger: Ledger) throws {
  for name in ["a", "b"] {
    world.node(name) { loop in
      for round in 0..<15 {
        let length = Duration.nanoseconds(Int64(loop.draw(4_000_000)) + 1)
        let start = loop.clock.now
        if loop.isDrawn(oneIn: 2) {
          try await loop.sleep(for: length).value
        } else {
          try await Task.sleep(for: length)
        }
        try expect(start.duration(to: loop.clock.now) >= length, "round \(round): a sleep was early")
        let limit = Duration.milliseconds(Int64(loop.draw(30)) + 1)
        let late = loop.clock.now
        do {
          switch round % 3 {
          case 0: try await loop.sleep(for: .seconds(5)).timeout(after: limit).value
          case 1: try await loop.withDeadline(limit) { try await loop.sleep(for: .seconds(5)).value }
          default:
            // Nobody answers, but somebody could: the completion isn't lost.
            var held: Completion<Int>?
            defer { withExtendedLifetime(held) {} }
            let silent = Request<Int>(loop) { done in
              held = done
              return PendingRequest()
            }
            _ = try await silent.timeout(after: limit).value
          }
          throw Violation("round \(round): a limit wasn't kept")
        } catch let error as UVError {
          try expect(error.code == .timedOut, "round \(round): \(error)")
          let time = late.duration(to: loop.clock.now)
          try expect(time >= limit && time < .seconds(5), "round \(round): a limit of \(limit) took \(time)")
        }
        // A limit that isn't reached.
        try await loop.sleep(for: .milliseconds(1)).timeout(after: .seconds(3)).value
        let quick = try await loop.work { round }.timeout(after: .seconds(100)).value
        try expect(quick == round, "another value")
      }
    }
  }
}

/// Repeating timers: the numbers grow, nothing comes early, and nothing comes after a stop.
private func ticks(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let interval = Duration.milliseconds(Int64(1 + loop.draw(40)))
    let start = loop.clock.now
    var next = 0
    for try await tick in loop.ticks(every: interval) {
      try expect(tick.index == next + tick.missed, "tick \(tick.index) after \(next), \(tick.missed) missed")
      try expect(
        start.duration(to: loop.clock.now) >= interval * (tick.index + 1), "tick \(tick.index) was early")
      next = tick.index + 1
      if next > 20 { break }
      if loop.isDrawn(oneIn: 3) { try await loop.sleep(for: interval * loop.draw(4)).value }
    }
    let timer = try LoopTimer(loop)
    let (count, isStopped) = (Shared(0), Shared(false))
    let begin = loop.clock.now
    try timer.start(after: interval * 2, repeating: interval) {
      if isStopped.value { ledger.complain("a stopped timer fired") }
      count.value += 1
      let least = interval * 2 + interval * (count.value - 1)
      if begin.duration(to: loop.clock.now) < least { ledger.complain("call \(count.value) was early") }
      if count.value == 5 {
        timer.stop()
        isStopped.value = true
      }
    }
    while count.value < 5 { try await loop.sleep(for: interval).timeout(after: .seconds(10)).value }
    try await loop.sleep(for: interval * 4).value
    isStopped.value = false
    try timer.start(after: .milliseconds(1)) { count.value += 1 }
    try await loop.sleep(for: .milliseconds(50)).value
    try expect(count.value == 6, "\(count.value) calls in place of 6")
    timer.close()
  }
}
