import Dispatch
import Testing
import UV
import UVPromises
import UVTestSupport

/// The helpers for sequences do what the standard library's functions of the same name do, of promises and of
/// guarantees, wherever they run.
@Suite struct SequenceTableTests {
  private static let lists = [[], [1], [3, 1, 2], [2, 2, 1, 1], Array(1...20).shuffled()]

  private nonisolated(nonsending) static func value<T>(_ promise: Promise<T>) async -> String {
    do { return "\(try await promise.async())" } catch PMKError.emptySequence { return "empty" } catch {
      return "\(error)"
    }
  }

  @Test func `Of promises`() async throws {
    try await withLoop { loop in
      Reports().install()
      for list in Self.lists {
        for place in [LoopDispatcher?.none, .microtask] {
          let p = loop.later(list)
          await #expect(Self.value(p.mapValues(on: place) { $0 * 2 }) == "\(list.map { $0 * 2 })")
          await #expect(
            Self.value(p.flatMapValues(on: place) { [$0, -$0] }) == "\(list.flatMap { [$0, -$0] })")
          await #expect(
            Self.value(p.compactMapValues(on: place) { $0 > 1 ? $0 : nil }) == "\(list.filter { $0 > 1 })")
          await #expect(
            Self.value(p.filterValues(on: place) { $0 % 2 == 1 }) == "\(list.filter { $0 % 2 == 1 })")
          await #expect(Self.value(p.thenMap(on: place) { loop.later($0 + 1) }) == "\(list.map { $0 + 1 })")
          await #expect(
            Self.value(p.thenFlatMap(on: place) { Promise.value([$0, 0]) }) == "\(list.flatMap { [$0, 0] })")
          await #expect(Self.value(p.sortedValues(on: place)) == "\(list.sorted())")
          await #expect(
            Self.value(p.firstValue(on: place) { $0 > 1 })
              == (list.first { $0 > 1 }.map { "\($0)" } ?? "empty"))
        }
        let p = loop.later(list)
        await #expect(Self.value(p.firstValue) == (list.first.map { "\($0)" } ?? "empty"))
        await #expect(Self.value(p.lastValue) == (list.last.map { "\($0)" } ?? "empty"))
      }
    }
  }

  @Test func `Of promises, on a queue`() async throws {
    try await withLoop { loop in
      Reports().install()
      let queue = DispatchQueue.global()
      for list in Self.lists {
        let p = loop.later(list)
        await #expect(Self.value(p.mapValues(on: queue) { $0 * 2 }) == "\(list.map { $0 * 2 })")
        await #expect(
          Self.value(p.flatMapValues(on: queue) { [$0, -$0] }) == "\(list.flatMap { [$0, -$0] })")
        await #expect(
          Self.value(p.compactMapValues(on: queue) { $0 > 1 ? $0 : nil }) == "\(list.filter { $0 > 1 })")
        await #expect(
          Self.value(p.filterValues(on: queue) { $0 % 2 == 1 }) == "\(list.filter { $0 % 2 == 1 })")
        await #expect(Self.value(p.thenMap(on: queue) { Promise.value($0 + 1) }) == "\(list.map { $0 + 1 })")
        await #expect(
          Self.value(p.thenFlatMap(on: queue) { Promise.value([$0, 0]) }) == "\(list.flatMap { [$0, 0] })")
        await #expect(Self.value(p.sortedValues(on: queue)) == "\(list.sorted())")
        await #expect(
          Self.value(p.firstValue(on: queue) { $0 > 1 }) == (list.first { $0 > 1 }.map { "\($0)" } ?? "empty")
        )
      }
    }
  }

  @Test func `Of guarantees`() async throws {
    try await withLoop { loop in
      Reports().install()
      for list in Self.lists {
        for place in [LoopDispatcher?.none, .microtask] {
          let g = after(.zero).map { list }
          #expect(await g.mapValues(on: place) { $0 * 2 }.async() == list.map { $0 * 2 })
          #expect(await g.flatMapValues(on: place) { [$0, -$0] }.async() == list.flatMap { [$0, -$0] })
          #expect(await g.compactMapValues(on: place) { $0 > 1 ? $0 : nil }.async() == list.filter { $0 > 1 })
          #expect(await g.filterValues(on: place) { $0 % 2 == 1 }.async() == list.filter { $0 % 2 == 1 })
          #expect(
            await g.thenMap(on: place) { n in after(.milliseconds(n % 3)).map { n + 1 } }.async()
              == list.map { $0 + 1 })
          #expect(
            await g.thenFlatMap(on: place) { Guarantee.value([$0, 0]) }.async() == list.flatMap { [$0, 0] })
          #expect(await g.sortedValues(on: place).async() == list.sorted())
          #expect(await g.sortedValues(on: place, >).async() == list.sorted(by: >))
        }
        let queue = DispatchQueue.global()
        let g = after(.zero).map { list }
        #expect(await g.mapValues(on: queue) { $0 * 2 }.async() == list.map { $0 * 2 })
        #expect(await g.filterValues(on: queue) { $0 % 2 == 1 }.async() == list.filter { $0 % 2 == 1 })
        #expect(await g.sortedValues(on: queue).async() == list.sorted())
      }
    }
  }
}
