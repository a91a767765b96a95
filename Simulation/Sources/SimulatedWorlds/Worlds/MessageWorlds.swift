import Glibc
import UV
import UVSimulation

/// What other threads send to a loop runs, once, in order.
func messages(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let (executor, seen) = (loop.executor, Shared<[Int]>([]))
    for round in 0..<10 {
      let sending = loop.work {
        for number in 0..<10 { try? executor.execute { _ in seen.value.append(round * 10 + number) } }
      }
      let others = (0..<3).map { _ in loop.work { 1 } }
      try await sending.value
      for other in others { _ = try await other.value }
      while seen.value.count < (round + 1) * 10 {
        try await loop.sleep(for: .milliseconds(1)).timeout(after: .seconds(1)).value
      }
      try expect(seen.value == Array(0..<(round + 1) * 10), "round \(round): \(seen.value.suffix(12))")
      // With nothing else to do, a message alone wakes the loop.
      let value = try await executor.submit { _ in round }
      try expect(value == round, "another value")
      await Task.detached { try? executor.execute { _ in seen.value.append(-1) } }.value
      try await executor.submit { _ in () }
      seen.value.removeLast()
    }
  }
}

/// More messages at once than a turn of the loop takes, from several threads, while the loop is busy or
/// waits. Nothing else wakes it, and all of them run, those of each sender in order.
func bursts(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let executor = loop.executor
    for round in 0..<3 {
      let counts = (0..<1 + loop.draw(3)).map { _ in 1 + loop.draw([10, 5000, 9000][loop.draw(3)]) }
      var left = counts.reduce(0, +)
      let all = Request<Void>(loop) { done in
        for (sender, count) in counts.enumerated() {
          var next = 0
          let run = { (number: Int) in
            if number != next {
              ledger.complain("round \(round): \(number) of \(sender) runs in place of \(next)")
            }
            next += 1
            left -= 1
            if left == 0 { done(.success(())) }
          }
          let body = Shared(run)
          Sender {
            for number in 0..<count {
              do { try executor.execute { _ in body.value(number) } } catch { ledger.complain("\(error)") }
              if number % 1000 == 500 { usleep(UInt32(number % 3)) }
            }
          }.start()
        }
        if loop.isDrawn(oneIn: 2) { loop.block(for: .milliseconds(1)) }
        return PendingRequest()
      }
      try await all.value
    }
  }
}

/// A loop that ends runs every message that it has accepted, and refuses the others.
func lastMessages(_ world: World, _ ledger: Ledger) throws {
  let (accepted, run) = (Shared<[Int]>([]), Shared<[Int]>([]))
  ledger.atEnd {
    try expect(run.value == accepted.value, "\(run.value.count) messages of \(accepted.value.count) have run")
  }
  world.client("a") { loop in
    let executor = loop.executor
    let count = [20, 3000, 20_000][loop.draw(3)]
    let isBurst = loop.isDrawn(oneIn: 2)
    // Another thread, for which the loop doesn't wait.
    let sender = Sender {
      for number in 0..<count {
        do {
          try executor.execute { _ in run.value.append(number) }
          accepted.value.append(number)
        } catch {}
        if !isBurst, number % 500 == 0 { usleep(UInt32(loop.draw(3))) }
      }
    }
    sender.start()
    if isBurst {
      // All of them come while the loop is busy, and then it ends.
      usleep(1000)
      loop.stop()
      return
    }
    try await loop.sleep(for: .microseconds(Int64(loop.draw(60)))).value
    if loop.isDrawn(oneIn: 2) { loop.stop() }
  }
}

// Sound: the closure is called once, on the thread that is started.
private final class Sender: @unchecked Sendable {
  private let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }

  func start() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Sender>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }
}
