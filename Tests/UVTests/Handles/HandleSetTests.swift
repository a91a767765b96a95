import Testing
import UVTestSupport

@testable import UV

/// Parts of a loop's handles, each beside the simplest model of it.
@Suite struct HandleSetTests {
  @Test("Blocks for file reads that somebody holds aren't given to another", arguments: 1...4)
  func blocks(seed: UInt64) {
    let draws = Draws(seed)
    var blocks = ReadBlocks()
    var held: [(bytes: Bytes, mark: UInt8)] = []
    for number in 0..<400 {
      let count = draws.one(of: [1, 2047, 2048, 4095, 4096, 4097, 10_000])
      let bytes = blocks.reserve(count)
      #expect(bytes.count == count)
      let mark = UInt8(truncatingIfNeeded: number)
      for place in [0, count / 2, count - 1] { UnsafeMutablePointer(mutating: bytes.start)[place] = mark }
      held.append((bytes, mark))
      if held.count > draws.draw(120) { held.remove(at: draws.draw(held.count)) }
      #expect(
        held.allSatisfy { bytes, mark in
          [0, bytes.count / 2, bytes.count - 1].allSatisfy { bytes.start[$0] == mark }
        })
    }
  }

  @Test(
    "Waiters are answered in the order in which they came, but for those that have left", arguments: 1...4)
  func waiters(seed: UInt64) {
    let draws = Draws(seed)
    var (waiters, model, answered) = (Waiters<Int>(), [(number: UInt, value: Int)](), [Int]())
    for value in 0..<300 {
      switch draws.draw(5) {
      case 0, 1: model.append((waiters.add { _ in answered.append(value) }, value))
      case 2 where !model.isEmpty:
        let entry = model.remove(at: draws.draw(model.count))
        #expect(waiters.contains(entry.number))
        #expect(waiters.take(entry.number) != nil)
        #expect(!waiters.contains(entry.number) && waiters.take(entry.number) == nil)
      case 3:
        let first = model.isEmpty ? nil : model.removeFirst()
        let before = answered.count
        waiters.takeFirst()?(.success(0))
        #expect(Array(answered[before...]) == (first.map { [$0.value] } ?? []))
      default: break
      }
      #expect(waiters.isEmpty == model.isEmpty)
    }
    let before = answered.count
    for done in waiters.takeAll() { done(.success(0)) }
    #expect(Array(answered[before...]) == model.map(\.value))
    #expect(waiters.isEmpty && waiters.takeFirst() == nil)
  }
}
