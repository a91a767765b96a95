import Testing
import UV
import UVTestSupport

@Suite struct QueueTests {
  @Test func `A queue gives its elements in the order in which they came, however many have been taken`() {
    var queue = Queue<Int>()
    var expected = 0
    for number in 0..<10_000 {
      queue.append(number)
      if number % 3 == 0 {
        #expect(queue.popFirst() == expected)
        expected += 1
      }
    }
    #expect(queue.count == 10_000 - expected)
    #expect(queue.first == expected)
    #expect(queue.firstIndex { $0 == expected + 5 } == 5)
    #expect(queue.remove(at: 5) == expected + 5)
    queue[0] = -1
    #expect(queue.takeAll() == [-1] + (expected + 1..<10_000).filter { $0 != expected + 5 })
    #expect(queue.popFirst() == nil)
  }

  @Test func `A queue that is never empty holds no more than its elements need`() async throws {
    // Within a loop's test, since no other loop of this process runs meanwhile.
    try await withLoop { loop in
      for length in [1, 31, 32, 100, 1000] {
        var queue = Queue<Int>()
        for number in 0..<length { queue.append(number) }
        let before = Hooks.heapInUse ?? 0
        for number in 0..<100_000 {
          queue.append(number)
          _ = queue.popFirst()
        }
        let growth = (Hooks.heapInUse ?? 0) - before
        #expect(growth < 100_000, "a queue of \(length) has grown by \(growth) bytes")
        #expect(queue.count == length)
      }
    }
  }
}
