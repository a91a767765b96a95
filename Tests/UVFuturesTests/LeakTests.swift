import Testing
import UV
import UVFutures
import UVTestSupport

/// What nobody can settle, send or hear any more is let go.
@Suite struct LeakTests {
  @Test("A pending future that was merged with a subject is let go with it")
  func merged() async throws {
    try await withCallbackLoop { _ in
      weak var future: Future<Int, Never>?
      weak var merged: Future<Int, Never>?
      weak var subject: PassthroughSubject<Int, Never>?
      do {
        let right = PassthroughSubject<Int, Never>()
        let left = Future<Int, Never> { _ in }
        let both = left.merge(right)
        (future, merged, subject) = (left, both, right)
        let input = FutureInput<Int, Never>()
        _ = input.merge(PassthroughSubject<Int, Never>())
      }
      #expect(future == nil)
      #expect(merged == nil)
      #expect(subject == nil)
    }
  }

  @Test("A pending future that was zipped with a subject is let go with it")
  func zipped() async throws {
    try await withCallbackLoop { _ in
      weak var future: Future<Int, Never>?
      weak var zipped: Future<(Int, String), Never>?
      weak var subject: PassthroughSubject<String, Never>?
      do {
        let right = PassthroughSubject<String, Never>()
        let left = Future<Int, Never> { _ in }
        let both = left.combine(right)
        (future, zipped, subject) = (left, both, right)
      }
      #expect(future == nil)
      #expect(zipped == nil)
      #expect(subject == nil)
    }
  }

  @Test("A merge whose left side can say nothing more still hears the right")
  func theRightSideIsHeard() async throws {
    try await withCallbackLoop { _ in
      var log: [Int] = []
      let subject = PassthroughSubject<Int, Never>()
      Future<Int, Never> { _ in }.merge(subject).on { log.append($0) }
      FutureInput<Int, Never>().merge(subject).on { log.append($0 * 10) }
      subject.send(1)
      subject.send(2)
      #expect(log.sorted() == [1, 10])
    }
  }

  @Test("A merge that somebody listens to is let go once its subject ends")
  func listenedTo() async throws {
    try await withCallbackLoop { _ in
      weak var merged: Future<Int, Never>?
      weak var stream: Hot<Int, Never>?
      weak var subject: PassthroughSubject<Int, Never>?
      weak var token: Token?
      do {
        let (right, kept) = (PassthroughSubject<Int, Never>(), Token())
        let both = Future<Int, Never> { _ in }.merge(right)
        let all = HotInput<Int, Never>().merge(right)
        both.on { _ in _ = kept }
        all.on { _ in _ = kept }
        (merged, stream, subject, token) = (both, all, right, kept)
        // Combine's own is let go with its token.
        _ = Publishers.Merge(Future<Int, Never> { _ in }, right).sink { _ in _ = kept }
      }
      // A subject that is subscribed to keeps itself.
      #expect(subject != nil && token != nil)
      subject?.send(completion: .finished)
      #expect(merged == nil)
      #expect(stream == nil)
      #expect(subject == nil)
      #expect(token == nil)
    }
  }

  @Test("A future whose left side has gone first is let go, too")
  func theLeftGoesFirst() async throws {
    try await withCallbackLoop { _ in
      weak var merged: Future<Int, Never>?
      weak var subject: PassthroughSubject<Int, Never>?
      do {
        var left: Future<Int, Never>? = Future { _ in }
        let right = PassthroughSubject<Int, Never>()
        let both = left!.merge(right)
        left = nil
        (merged, subject) = (both, right)
        // Whoever listens meanwhile hears the right side.
        var log: [Int] = []
        let other = FutureInput<Int, Never>().merge(right)
        other.on { log.append($0) }
        right.send(1)
        #expect(log == [1])
        _ = both
      }
      #expect(merged == nil)
      #expect(subject == nil)
    }
  }
}
