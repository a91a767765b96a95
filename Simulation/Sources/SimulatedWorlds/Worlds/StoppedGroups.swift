import UV
import UVSimulation

/// Groups of loops that ask each other, and that end one another at some time, several at once. Each question is answered
/// once, with its value or because its loop has ended, and each end comes in time to all that wait for it.
func stoppedGroups(_ world: World, _ ledger: Ledger) throws {
  world.node("a", mayBeBusy: false) { loop in
    let count = 2 + loop.draw(3)
    let groups = Shared<[EventLoopGroup]>([])
    for _ in 0..<count { groups.value.append(try EventLoopGroup(count: 1 + loop.draw(2))) }
    let (answers, questions) = (Shared(0), Shared(0))
    let ended = Shared<Set<Int>>([])
    let ends = Shared(0)

    /// Has one loop ask another, and be asked back.
    func ask(_ from: LoopExecutor, _ to: LoopExecutor, _ number: Int) {
      try? from.execute { asking in
        questions.value += 1
        let isRun = asking.isDrawn(oneIn: 2)
        let time = Duration.milliseconds(Int64(asking.draw(300)))
        let request =
          isRun
          ? to.run(on: asking) { (other: EventLoop) async throws(UVError) -> Int in
            try await other.sleep(for: time).value
            return number
          } : to.submit(on: asking) { _ in number }
        request.start { result in
          answers.value += 1
          switch result {
          case .success(let value): if value != number { ledger.complain("\(value) in place of \(number)") }
          case .failure(let error):
            if error.code != .loopClosed, !error.isCancelled {
              ledger.complain("question \(number): \(error)")
            }
            if ended.value.isEmpty { ledger.complain("question \(number), before any end: \(error)") }
          }
        }
      }
    }

    /// Has a loop of one group end another group.
    func end(_ victim: Int, by executor: LoopExecutor?) {
      let group = groups.value[victim]
      let limit = Duration.milliseconds(Int64(loop.draw(2000)))
      ends.value += 1
      let isStop = loop.isDrawn(oneIn: 3)
      let body: @Sendable (EventLoop) -> Void = { other in
        ended.value.insert(victim)
        if isStop {
          for executor in group.executors { executor.stop() }
          ends.value -= 1
          return
        }
        let begin = LoopClock.Instant.now
        // Its own loop may end while it waits: then nobody is there to be notified.
        group.shutdownGracefully(within: limit, on: other).start { _ in
          ends.value -= 1
          let time = begin.duration(to: .now)
          if time > limit + .seconds(1) { ledger.complain("group \(victim) has ended after \(time)") }
        }
      }
      guard let executor else { return body(loop) }
      do throws(UVError) { try executor.execute(body) } catch { body(loop) }
    }

    for number in 0..<40 {
      let (from, to) = (groups.value[loop.draw(count)], groups.value[loop.draw(count)])
      ask(from.next(), to.next(), number)
      if loop.isDrawn(oneIn: 6) { try await loop.dawdle() }
      if number > 10, loop.isDrawn(oneIn: 8) {
        let victim = loop.draw(count)
        let other = (victim + 1 + loop.draw(count - 1)) % count
        end(victim, by: loop.isDrawn(oneIn: 4) ? nil : groups.value[other].next())
        // And back, at the same time.
        if loop.isDrawn(oneIn: 3) { end(other, by: groups.value[victim].next()) }
      }
    }
    try await loop.sleep(for: .milliseconds(Int64(loop.draw(400)))).value
    for (number, group) in groups.value.enumerated() {
      ended.value.insert(number)
      let begin = loop.clock.now
      _ = await group.shutdownGracefully(within: .zero)
      let time = begin.duration(to: loop.clock.now)
      try expect(time <= .seconds(1), "group \(number) has ended after \(time)")
      for executor in group.executors {
        do throws(UVError) {
          try executor.execute { _ in }
          throw UVError(.invalidArgument, operation: "a loop that has ended takes a message")
        } catch { try expect(error.code == .loopClosed, "\(error)") }
      }
    }
    try expect(
      answers.value == questions.value, "\(answers.value) of \(questions.value) questions are answered")
    try expect(ends.value == 0, "\(ends.value) ends aren't reported")
    groups.value = []
  }
}
