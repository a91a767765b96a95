#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// Publishers of several others deliver the same however the subscriber asks, and ask every side for what it wants.
@Suite struct CombinedDemandTests {
  /// How a subscriber asks.
  enum Demand: CaseIterable, Sendable {
    case unlimited, oneByReturn, oneByRequest, oneLater, pairs

    func probe<Value: Equatable>(_ type: Value.Type) -> Probe<Value, Never> {
      let probe: Probe<Value, Never> =
        switch self {
        case .unlimited: Probe()
        case .oneByReturn: Probe(.max(1), then: .max(1))
        case .oneByRequest, .oneLater: Probe(.max(1))
        case .pairs: Probe(.max(2))
        }
      probe.onValue = { [unowned probe] _ in
        if self == .oneByRequest { probe.request(.max(1)) }
        if self == .pairs, probe.values.count % 2 == 0 { probe.request(.max(2)) }
      }
      return probe
    }

    /// What is asked for between what is sent.
    func after<Value: Equatable>(_ count: Int, _ probe: Probe<Value, Never>) {
      if self == .oneLater, probe.values.count > count { probe.request(.max(1)) }
    }
  }

  enum Form: CaseIterable, Sendable {
    case two, three, four, many, mergeTwo, mergeThree, mergeEight, mergeMany

    var sides: Int {
      switch self {
      case .two, .mergeTwo: 2
      case .three, .mergeThree, .many, .mergeMany: 3
      case .four: 4
      case .mergeEight: 8
      }
    }

    var isMerge: Bool {
      switch self {
      case .two, .three, .four, .many: false
      case .mergeTwo, .mergeThree, .mergeEight, .mergeMany: true
      }
    }

    func combine(_ s: [AnyLoopPublisher<Int, Never>]) -> AnyLoopPublisher<[Int], Never> {
      switch self {
      case .two: s[0].combineLatest(s[1]).map { [$0, $1] }.eraseToAnyLoopPublisher()
      case .three: s[0].combineLatest(s[1], s[2]).map { [$0, $1, $2] }.eraseToAnyLoopPublisher()
      case .four: s[0].combineLatest(s[1], s[2], s[3]).map { [$0, $1, $2, $3] }.eraseToAnyLoopPublisher()
      case .many: s.combineLatest().eraseToAnyLoopPublisher()
      case .mergeTwo: Publishers.Merge(s[0], s[1]).map { [$0] }.eraseToAnyLoopPublisher()
      case .mergeThree: Publishers.Merge3(s[0], s[1], s[2]).map { [$0] }.eraseToAnyLoopPublisher()
      case .mergeEight:
        Publishers.Merge8(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { [$0] }
          .eraseToAnyLoopPublisher()
      case .mergeMany: Publishers.MergeMany(s).map { [$0] }.eraseToAnyLoopPublisher()
      }
    }
  }

  @Test(
    "Each value that a side sends is delivered, whichever side it is and however it is asked for",
    arguments: Form.allCases, Demand.allCases)
  func delivered(form: Form, demand: Demand) async throws {
    try await withCallbackLoop { loop in
      for seed in 0..<20 {
        let draws = Draws(UInt64(seed))
        let sides = (0..<form.sides).map { _ in AskedSource<Int, Never>() }
        let probe = demand.probe([Int].self)
        form.combine(sides.map { $0.eraseToAnyLoopPublisher() }).subscribe(probe)
        var latest: [Int?] = Array(repeating: nil, count: form.sides)
        var expected: [[Int]] = []
        // Each side once, in some order, and then any.
        var order = Array(sides.indices)
        for index in order.indices { order.swapAt(index, draws.draw(form.sides)) }
        for number in 0..<30 {
          let side = number < order.count ? order[number] : draws.draw(form.sides)
          let before = probe.values.count
          sides[side].send(number)
          latest[side] = number
          if form.isMerge {
            expected.append([number])
          } else if !latest.contains(nil) {
            expected.append(latest.map { $0! })
          }
          #expect(probe.values == expected, "\(form) \(demand) \(seed) \(number) of side \(side)")
          demand.after(before, probe)
        }
        for (index, side) in sides.enumerated() {
          #expect(probe.completions.isEmpty)
          side.send(completion: .finished)
          #expect(!side.isCancelled && side.waitingCount == 0, "side \(index)")
        }
        #expect(probe.completions == [.finished])
      }
    }
  }

  @Test(
    "Without demand no side delivers, and what was asked for before is not forgotten",
    arguments: Form.allCases)
  func withoutDemand(form: Form) async throws {
    try await withCallbackLoop { loop in
      let sides = (0..<form.sides).map { AskedSource<Int, Never>([$0 * 10, $0 * 10 + 1]) }
      let probe = Probe<[Int], Never>(.none)
      form.combine(sides.map { $0.eraseToAnyLoopPublisher() }).subscribe(probe)
      #expect(probe.values.isEmpty && sides.allSatisfy { $0.subscriptionCount == 1 })
      for count in 1...2 {
        probe.request(.max(1))
        #expect(probe.values.count <= count)
      }
      probe.request(.unlimited)
      #expect(sides.allSatisfy { $0.waitingCount == 0 })
      if form.isMerge {
        #expect(probe.values.map { $0[0] }.sorted() == sides.indices.flatMap { [$0 * 10, $0 * 10 + 1] })
        for side in sides.indices {
          #expect(probe.values.map { $0[0] }.filter { $0 / 10 == side } == [side * 10, side * 10 + 1])
        }
      } else {
        // The second values of the others were remembered, for which there was no demand.
        sides[0].send(2)
        #expect(probe.values.last == sides.indices.map { $0 == 0 ? 2 : $0 * 10 + 1 })
      }
      probe.cancel()
      #expect(sides.allSatisfy { $0.isCancelled })
    }
  }

  enum End: CaseIterable, Sendable { case error, cancelled, cancelledInValue }

  @Test(
    "The end by one side's error, or by the subscriber, cancels each other side", arguments: Form.allCases,
    End.allCases)
  func ends(form: Form, end: End) async throws {
    try await withCallbackLoop { loop in
      for last in 0..<form.sides {
        let sides = (0..<form.sides).map { _ in AskedSource<Int, Trouble>() }
        let probe = Probe<Int, Trouble>()
        let erased = sides.map { side in side.eraseToAnyLoopPublisher() }
        Self.combineFailing(form, erased).subscribe(probe)
        for side in sides { side.send(1) }
        let count = probe.values.count
        switch end {
        case .error: sides[last].send(completion: .failure(.second))
        case .cancelled: probe.cancel()
        case .cancelledInValue:
          probe.onValue = { [unowned probe] _ in probe.cancel() }
          sides[last].send(2)
        }
        for (index, side) in sides.enumerated() {
          #expect(
            side.isCancelled == (end != .error || index != last), "\(form) \(end) \(last), side \(index)")
          if index != last || end != .error { side.send(3) }
        }
        #expect(probe.values.count == count + (end == .cancelledInValue ? 1 : 0))
        #expect(probe.completions == (end == .error ? [.failure(.second)] : []))
      }
    }
  }

  private static func combineFailing(_ form: Form, _ s: [AnyLoopPublisher<Int, Trouble>]) -> AnyLoopPublisher<
    Int, Trouble
  > {
    switch form {
    case .two: s[0].combineLatest(s[1]).map { $0 + $1 }.eraseToAnyLoopPublisher()
    case .three: s[0].combineLatest(s[1], s[2]).map { $0 + $1 + $2 }.eraseToAnyLoopPublisher()
    case .four: s[0].combineLatest(s[1], s[2], s[3]).map { $0 + $1 + $2 + $3 }.eraseToAnyLoopPublisher()
    case .many: s.combineLatest().map { $0.reduce(0, +) }.eraseToAnyLoopPublisher()
    case .mergeTwo: Publishers.Merge(s[0], s[1]).eraseToAnyLoopPublisher()
    case .mergeThree: Publishers.Merge3(s[0], s[1], s[2]).eraseToAnyLoopPublisher()
    case .mergeEight:
      Publishers.Merge8(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).eraseToAnyLoopPublisher()
    case .mergeMany: Publishers.MergeMany(s).eraseToAnyLoopPublisher()
    }
  }
}
#endif
