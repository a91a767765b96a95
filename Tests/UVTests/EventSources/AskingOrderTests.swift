import Testing
import UV
import UVTestSupport

/// A source of one's own whose elements go to callbacks, tasks and iterators: each is for the one who asked first.
@Suite struct AskingOrderTests {
  enum Asker: CaseIterable, Sendable { case callback, request, task, iterator }

  @Test(arguments: Asker.allCases, Asker.allCases)
  func `An element that was sent and not delivered yet isn't for somebody who asks later`(
    first: Asker, second: Asker
  )
    async throws
  {
    try await withLoop { loop in
      for count in 1...3 {
        let source = CustomSource<Int>(loop, "numbers")
        let log = Log<String>()
        /// Asks at once, in the calling task for an iterator.
        func ask(_ asker: Asker, _ name: String) async throws {
          switch asker {
          case .callback: source.next { log.append("\(name) \(($0.value ?? nil) ?? -1)") }
          case .request: source.next().start { log.append("\(name) \(($0.value ?? nil) ?? -1)") }
          case .task:
            loop.spawn { log.append("\(name) \((try? await source.next().value) ?? -1)") }
            try await loop.sleep(for: .zero).value
          case .iterator:
            loop.spawn {
              var iterator = source.makeAsyncIterator()
              log.append("\(name) \((try? await iterator.next()) ?? -1)")
            }
            try await loop.sleep(for: .zero).value
          }
        }
        try await ask(first, "first")
        for number in 1...count { source.send(number) }
        // In this callback, in which nothing has been delivered yet.
        if second == .iterator {
          let asking = loop.spawn {
            var iterator = source.makeAsyncIterator()
            log.append("second \((try? await iterator.next()) ?? -1)")
          }
          if count == 1 { try await loop.settle() }
          if count == 1 { source.send(2) }
          await asking.value
        } else if second == .task {
          loop.spawn { log.append("second \((try? await source.next().value) ?? -1)") }
        } else {
          try await ask(second, "second")
        }
        try await loop.settle()
        if count == 1, second != .iterator { source.send(2) }
        try await loop.settle { log.values.count == 2 }
        #expect(log.values.sorted() == ["first 1", "second 2"], "\(count) sent")
        #expect(source.queuedCount == max(0, count - 2))
      }
    }
  }

  @Test(arguments: Asker.allCases)
  func `In the same task, an iterator doesn't overtake somebody who waits`(first: Asker) async throws {
    try await withLoop { loop in
      let source = CustomSource<Int>(loop, "numbers")
      let log = Log<Int>()
      switch first {
      case .callback: source.next { log.append(($0.value ?? nil) ?? -1) }
      case .request: source.next().start { log.append(($0.value ?? nil) ?? -1) }
      case .task, .iterator:
        loop.spawn {
          var iterator = source.makeAsyncIterator()
          log.append((first == .task ? try? await source.next().value : try? await iterator.next()) ?? -1)
        }
        try await loop.sleep(for: .zero).value
      }
      source.send(1)
      source.send(2)
      var iterator = source.makeAsyncIterator()
      let own = try await iterator.next()
      try await loop.settle { !log.values.isEmpty }
      #expect(own == 2 && log.values == [1])
      // Nobody waits now, so that a task gets what is there at once.
      source.send(3)
      let jobs = loop.statistics.jobsFromLoop
      #expect(try await iterator.next() == 3)
      #expect(loop.statistics.jobsFromLoop == jobs)
    }
  }

  @Test(arguments: 0..<10)
  func `Elements go to those who ask in the order of asking, and none is lost, whoever leaves`(seed: Int)
    async throws
  {
    try await withLoop { loop in
      let draws = Draws(UInt64(seed))
      let source = CustomSource<Int>(loop, "numbers")
      var (sent, taken) = (0, [Int]())
      /// Who waits, in order, and what each was given.
      var line: [Int] = []
      var got: [(asker: Int, element: Int)] = []
      var pending: [Int: PendingRequest] = [:]
      var count = 0
      for _ in 0..<150 {
        switch draws.draw(6) {
        case 0, 1:
          count += 1
          let asker = count
          line.append(asker)
          pending[asker] = source.next { result in
            guard case .success(let element?) = result else { return }
            got.append((asker, element))
            taken.append(element)
            pending[asker] = nil
          }
        case 2 where !line.isEmpty:
          let asker = draws.one(of: line)
          if let request = pending.removeValue(forKey: asker) {
            line.removeAll { $0 == asker }
            request.cancel()
          }
        case 3 where line.isEmpty:
          // An iterator of the body itself; what is there, it gets at once.
          if source.queuedCount == 0 { break }
          var iterator = source.makeAsyncIterator()
          taken.append(try await iterator.next() ?? -1)
        default:
          source.send(sent)
          sent += 1
        }
        if draws.draw(3) == 0 {
          for _ in 0..<2 { try await loop.sleep(for: .zero).value }
          line.removeAll { asker in got.contains { $0.asker == asker } }
        }
      }
      try await loop.settle()
      line.removeAll { asker in got.contains { $0.asker == asker } }
      #expect(taken == Array(0..<taken.count) && taken.count + source.queuedCount == sent)
      #expect(got.map(\.asker) == got.map(\.asker).sorted())
      #expect(line.isEmpty || source.queuedCount == 0)
      for request in pending.values { request.cancel() }
      try await loop.settle()
    }
  }
}
