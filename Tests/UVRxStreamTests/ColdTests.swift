import Testing
import UV
import UVRxStream
import UVTestSupport

/// Streams that answer requests.
@Suite struct ColdTests {
  /// Answers each request with itself.
  private let echo = Cold<Int, Int, Trouble> { request, answer in answer(.success(request)) }

  private func answers<T>(to requests: [Int], _ chain: (Cold<Int, Int, Trouble>) -> Cold<Int, T, Trouble>)
    -> [T]
  {
    var seen: [T] = []
    let end = chain(echo).on { seen.append($0) }
    for request in requests { end.request(request) }
    return seen
  }

  @Test func `Values that are equal, less or greater are compared without a closure`() {
    #expect(answers(to: [1, 1, 2, 1]) { $0.distinct() } == [1, 2, 1])
    #expect(answers(to: [2, 3, 1, 2]) { $0.min() } == [2, 1])
    #expect(answers(to: [2, 3, 1, 4]) { $0.max() } == [2, 3, 4])
    #expect(answers(to: [1, 2, 3]) { $0.sum() } == [1, 3, 6])
    #expect(answers(to: [1, 3, 5]) { $0.map { Double($0) }.average() } == [1, 2, 3])
  }

  @Test func `A map that returns nil passes nothing on, and its values are not optional`() {
    var lines: [String] = []
    let stream = echo.map { $0 > 1 ? $0 * 7 : nil }.on { lines.append("\($0)") }
    for request in 1...3 { stream.request(request) }
    #expect(lines == ["14", "21"])
  }
}
