import Testing
import UV

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
}
