import Testing
import UV
import UVRxStream
import UVTestSupport

/// What nobody can settle, send or hear any more is let go.
@Suite struct LeakTests {
  @Test func `A pending future that was merged with a stream is let go with it`() async throws {
    try await withCallbackLoop { _ in
      weak var future: Future<Int, Never>?
      weak var merged: Future<Int, Never>?
      weak var stream: Hot<Int, Never>?
      do {
        let right = HotInput<Int, Never>()
        let left = Future<Int, Never> { _ in }
        let both = left.merge(right)
        (future, merged, stream) = (left, both, right)
        let input = FutureInput<Int, Never>()
        _ = input.merge(HotInput<Int, Never>())
      }
      #expect(future == nil)
      #expect(merged == nil)
      #expect(stream == nil)
    }
  }

  @Test func `A pending future that was zipped with a stream is let go with it`() async throws {
    try await withCallbackLoop { _ in
      weak var future: Future<Int, Never>?
      weak var zipped: Future<(Int, String), Never>?
      weak var stream: Hot<String, Never>?
      do {
        let right = HotInput<String, Never>()
        let left = Future<Int, Never> { _ in }
        let both = left.combine(right)
        (future, zipped, stream) = (left, both, right)
      }
      #expect(future == nil)
      #expect(zipped == nil)
      #expect(stream == nil)
    }
  }

  @Test("A merge whose left side can say nothing more still hears the right, and ends with it")
  func theRightSideIsHeard() async throws {
    try await withCallbackLoop { _ in
      var log: [Int] = []
      var ends: [Termination<Never>] = []
      let stream = HotInput<Int, Never>()
      Future<Int, Never> { _ in }.merge(stream).on { log.append($0) }
      FutureInput<Int, Never>().merge(stream).on { log.append($0 * 10) }
      stream.push(1)
      stream.push(2)
      #expect(log.sorted() == [1, 10])
      Future<Int, Never> { _ in }.merge(stream).onTerminate { ends.append($0) }
      stream.terminate()
      #expect(ends == [.completed])
    }
  }

  @Test("A merge whose right side can say nothing more still hears the left, and ends with it")
  func theLeftSideIsHeard() async throws {
    try await withCallbackLoop { _ in
      var ends: [Termination<Trouble>] = []
      let left = FutureInput<Int, Trouble>()
      left.merge(Future<Int, Trouble> { _ in }).onTerminate { ends.append($0) }
      left.complete(.first)
      #expect(ends == [.error(.first)])
    }
  }

  @Test func `A merge that somebody listens to is let go once its sides end`() async throws {
    try await withCallbackLoop { _ in
      weak var merged: Future<Int, Never>?
      weak var joined: Hot<Int, Never>?
      weak var token: Token?
      do {
        let (right, kept) = (HotInput<Int, Never>(), Token())
        let both = Future<Int, Never> { _ in }.merge(right)
        let all = HotInput<Int, Never>().merge(right)
        both.on { _ in _ = kept }
        all.on { _ in _ = kept }
        (merged, joined, token) = (both, all, kept)
        #expect(token != nil)
      }
      #expect(merged == nil)
      #expect(joined == nil)
      #expect(token == nil)
    }
  }

  @Test("A merge of many values whose left side has gone goes on with the right, and ends with it")
  func theLeftGoesFirst() async throws {
    try await withCallbackLoop { _ in
      var log: [String] = []
      let right = HotInput<Int, Never>()
      var left: HotInput<Int, Never>? = HotInput()
      left!.map { $0 }.merge(right).on { log.append("\($0)") }.onTerminate { log.append("\($0)") }
      left = nil
      right.push(1)
      right.terminate()
      #expect(log == ["1", "completed"])
    }
  }
}
