import Testing
import UV
import UVTestSupport

/// When all that a source was sent has been taken, in whichever way it is taken.
@Suite struct DrainTests {
  enum Taker: CaseIterable, Sendable { case callbacks, handler, receiver, task, iterator, leavers }

  private func take(_ source: CustomSource<Int>, _ taker: Taker, _ count: Int, _ taken: Log<Int>) {
    func note(_ result: Result<Int?, UVError>) {
      if case .success(let number?) = result { taken.append(number) }
    }
    switch taker {
    case .callbacks: for _ in 0..<count { source.next(note) }
    case .leavers:
      for _ in 0..<count {
        source.next { _ in }.cancel()
        source.next(note)
      }
    case .handler:
      source.start { result in
        note(result)
        if taken.values.count % 10 == count % 10 { source.stop() }
      }
    case .receiver:
      for _ in 0..<count {
        source._next(
          for: _ElementReceiver { _, result in
            if case .success(let number?) = result { taken.append(number) }
          })
      }
    case .task: source.loop.spawn { for _ in 0..<count { note(.success(try? await source.next().value)) } }
    case .iterator:
      source.loop.spawn {
        var iterator = source.makeAsyncIterator()
        for _ in 0..<count { note(.success(try? await iterator.next())) }
      }
    }
  }

  @Test(arguments: Taker.allCases)
  func `All who wait for the drain are answered when the last element is taken, and not before`(taker: Taker)
    async throws
  {
    try await withLoop { loop in
      let source = CustomSource<Int>(loop, "numbers")
      for round in 0..<2 {
        let log = Log<String>()
        let taken = Log<Int>()
        for number in 0..<5 { source.send(number) }
        for name in ["one", "two"] { source.drain { log.append("\(name) \($0.error?.name ?? "drained")") } }
        let task = loop.spawn { () async throws(UVError) in
          try await source.drain().value
          log.append("task drained")
        }
        let leaver = source.drain { log.append("leaver \($0.error?.name ?? "drained")") }
        try await loop.settle()
        take(source, taker, 4, taken)
        try await loop.settle { taken.values.count == 4 }
        #expect(log.values == [] && source.queuedCount == 1, "round \(round)")
        leaver.cancel()
        try await loop.settle()
        #expect(log.values == ["leaver ECANCELED"])
        take(source, taker == .handler ? .callbacks : taker, 1, taken)
        try await task.value
        try await loop.settle()
        #expect(log.values.sorted() == ["leaver ECANCELED", "one drained", "task drained", "two drained"])
        #expect(taken.values == Array(0..<5) && source.queuedCount == 0)
        // Nothing is there: the answer comes at once, but not on the stack.
        source.drain { log.append("late \($0.error?.name ?? "drained")") }
        #expect(log.values.count == 4)
        try await loop.settle()
        #expect(log.values.last == "late drained")
      }
    }
  }

  @Test
  func `What is sent after the drain was asked for is waited for, too, and the source's end comes behind it`()
    async throws
  {
    try await withLoop { loop in
      let source = CustomSource<Int>(loop, "numbers")
      let log = Log<String>()
      source.send(1)
      source.drain { log.append($0.error?.name ?? "drained") }
      source.send(2)
      #expect(try await source.next().value == 1)
      try await loop.settle()
      #expect(log.values == [] && source.queuedCount == 1)
      source.finish()
      #expect(!source.send(3) && source.queuedCount == 1)
      #expect(try await source.next().value == 2)
      try await loop.settle()
      #expect(log.values == ["drained"])
      for _ in 0..<2 { #expect(try await source.next().value == nil) }
      try await source.drain().value
    }
  }
}
