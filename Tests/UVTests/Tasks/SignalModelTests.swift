import Testing
import UV
import UVTestSupport

/// Semaphores and conditions beside a model: who waits, leaves and signals in drawn order, also between a signal and its answer.
@Suite struct SignalModelTests {
  @Test(arguments: 0..<20)
  func `No permit is lost and none is made, and they are given in the order of asking`(seed: Int) async throws
  {
    try await withLoop { loop in
      let draws = Draws(UInt64(seed))
      let first = draws.draw(3)
      let semaphore = LoopSemaphore(loop, value: first)
      var (given, granted, cancelled) = (0, [Int](), [Int]())
      var pending: [(number: Int, request: PendingRequest)] = []
      var count = 0
      for _ in 0..<200 {
        switch draws.draw(5) {
        case 0, 1:
          count += 1
          let number = count
          let request = semaphore.wait { result in
            if case .success = result { granted.append(number) } else { cancelled.append(number) }
          }
          pending.append((number, request))
        case 2 where !pending.isEmpty:
          // Waiting, on its way, answered already or cancelled already.
          pending[draws.draw(pending.count)].request.cancel()
        case 3:
          semaphore.signal()
          given += 1
        default:
          for _ in 0..<draws.draw(3) { try await loop.sleep(for: .zero).value }
        }
        if draws.draw(10) == 0 {
          try await loop.settle()
          #expect(semaphore.value + granted.count == first + given)
          let waiting = count - granted.count - cancelled.count
          #expect(semaphore.value == 0 || waiting == 0)
        }
      }
      for one in pending { one.request.cancel() }
      try await loop.settle()
      #expect(granted.count + cancelled.count == count && Set(granted + cancelled).count == count)
      #expect(granted == granted.sorted())
      #expect(semaphore.value + granted.count == first + given)
      // All that is left can be had, and no more.
      for _ in 0..<semaphore.value { try await semaphore.wait().value }
      #expect(semaphore.value == 0 && granted.count <= first + given)
      await expectError(.timedOut, of: try await semaphore.wait().timeout(after: .milliseconds(1)).value)
    }
  }

  enum Moment: CaseIterable { case waiting, signalled, atOnce, answered }

  @Test(arguments: Moment.allCases, [false, true])
  func `A wait that is cancelled takes no permit, with or without others in the line`(
    moment: Moment, hasNext: Bool
  )
    async throws
  {
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: moment == .atOnce ? 1 : 0)
      let log = Log<String>()
      let first = semaphore.wait { log.append("first \($0.error?.name ?? "permit")") }
      if hasNext { semaphore.wait { log.append("next \($0.error?.name ?? "permit")") } }
      if moment != .atOnce, moment != .waiting { semaphore.signal() }
      if moment == .answered { try await loop.settle() }
      first.cancel()
      if moment == .waiting { semaphore.signal() }
      try await loop.settle()
      var expected = ["first \(moment == .answered ? "permit" : "ECANCELED")"]
      if hasNext, moment != .answered { expected.append("next permit") }
      #expect(log.values == expected)
      #expect(semaphore.value == (hasNext || moment == .answered ? 0 : 1))
      // A later one gets what is there, and waits otherwise.
      if semaphore.value == 0 { semaphore.signal() }
      if hasNext, moment == .answered {
        try await loop.settle()
        #expect(log.values.last == "next permit")
        semaphore.signal()
      }
      try await semaphore.wait().timeout(after: .seconds(20)).value
      #expect(semaphore.value == 0)
    }
  }

  @Test func `A permit comes back however a task is cancelled that waits for it`() async throws {
    try await withLoop { loop in
      let semaphore = LoopSemaphore(loop, value: 0)
      for signalsFirst in [true, false] {
        let task = loop.spawn { try await semaphore.withPermit { Issue.record("it was cancelled before") } }
        try await loop.settle()
        if signalsFirst { semaphore.signal() }
        task.cancel()
        if !signalsFirst { semaphore.signal() }
        await #expect(throws: UVError.self) { try await task.value }
        try await loop.settle()
        #expect(semaphore.value == 1)
        try await semaphore.wait().value
      }
    }
  }

  @Test(arguments: 0..<10)
  func `A condition wakes in the order of waiting, as many as it was signalled for while they waited`(
    seed: Int
  )
    async throws
  {
    try await withLoop { loop in
      let draws = Draws(UInt64(seed))
      let condition = LoopCondition(loop)
      var (woken, cancelled, line, expected) = ([Int](), [Int](), [Int](), [Int]())
      var pending: [Int: PendingRequest] = [:]
      for number in 0..<150 {
        switch draws.draw(5) {
        case 0, 1:
          line.append(number)
          pending[number] = condition.wait { result in
            if case .success = result { woken.append(number) } else { cancelled.append(number) }
          }
        case 2 where !line.isEmpty:
          let left = line.remove(at: draws.draw(line.count))
          pending[left]!.cancel()
        case 3:
          condition.signal()
          if !line.isEmpty { expected.append(line.removeFirst()) }
        case 4 where draws.draw(4) == 0:
          condition.broadcast()
          expected += line
          line = []
        default: for _ in 0..<draws.draw(3) { try await loop.sleep(for: .zero).value }
        }
      }
      try await loop.settle()
      #expect(woken == expected)
      condition.broadcast()
      try await loop.settle()
      #expect(woken == expected + line && woken.count + cancelled.count == pending.count)
    }
  }

  @Test func `A signal whose waiter leaves before its answer is for the next who waits then, or for nobody`()
    async throws
  {
    try await withLoop { loop in
      for others in 0...2 {
        let condition = LoopCondition(loop)
        let log = Log<String>()
        let first = condition.wait { log.append("first \($0.error?.name ?? "woken")") }
        var rest: [PendingRequest] = []
        for number in 0..<others {
          rest.append(condition.wait { log.append("\(number) \($0.error?.name ?? "woken")") })
        }
        condition.signal()
        first.cancel()
        try await loop.settle()
        #expect(log.values == ["first ECANCELED"] + (others > 0 ? ["0 woken"] : []))
        for request in rest { request.cancel() }
        try await loop.settle()
        #expect(log.values.count == 1 + others)
        // A condition keeps no signal.
        let late = condition.wait { log.append("late \($0.error?.name ?? "woken")") }
        try await loop.settle()
        #expect(log.values.count == 1 + others)
        late.cancel()
        try await loop.settle()
      }
    }
  }
}
