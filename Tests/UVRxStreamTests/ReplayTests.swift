import Testing
import UV
import UVRxStream
import UVTestSupport

/// What streams keep to deliver once more.
@Suite struct ReplayTests {
  @Test("`using` and what operators make of it keep the object no longer than its owner does")
  func using() {
    var object: Token? = Token()
    var (values, ends): ([Int], [Termination<Trouble>]) = ([], [])
    let input = HotInput<Int, Trouble>()
    input.using(object!).on { values.append($0.1) }.merge(Hot<(Token, Int), Trouble>.nothing).onTerminate {
      ends.append($0)
    }
    input.push(1)
    weak var token = object
    object = nil
    #expect(token == nil)
    input.push(2)
    #expect(values == [1])

    var another: Token? = Token()
    let observable = ObservableInput<Int, Trouble>(0)
    observable.using(another!).on { values.append($0.1) }.onTerminate { ends.append($0) }
    observable.set(3)
    token = another
    another = nil
    #expect(token == nil)
    observable.set(4)
    #expect(values == [1, 3])
    #expect(ends == [.cancelled, .cancelled])
  }

  @Test func `Operators of a stream that isn't replayed aren't either, unless they are asked to`() {
    let input = HotInput<Int, Trouble>()
    var log: [Int] = []
    let silent = input.canReplay(false).map { $0 * 10 }
    let replayed = input.map { $0 * 100 }.canReplay(true)
    input.push(1)
    silent.on { log.append($0) }.replay()
    #expect(log == [])
    replayed.on { log.append($0) }.replay()
    #expect(log == [100])
  }

  @Test func `An observable replays the value that it has from the start`() {
    var seen: [String] = []
    let observable = ObservableInput<Int, Trouble>(0)
    observable.map { "\($0)" }.on { seen.append($0) }.replay()
    #expect(seen == ["0"])
    observable.set(1)
    observable.scan(initial: 10) { $0 + $1 }.on { seen.append("\($0)") }.replay()
    #expect(seen == ["0", "1", "10"])
    observable.canReplay(false).on { seen.append("\($0)") }.replay()
    #expect(seen == ["0", "1", "10"])
  }

  @Test func `The first transition of an observable begins with the value that it has`() {
    var seen: [String] = []
    let observable = ObservableInput<Int, Trouble>(0)
    observable.onTransition { seen.append("\($0!) \($1)") }
    observable.set(1)
    observable.set(2)
    #expect(seen == ["0 1", "1 2"])
  }
}

extension Hot {
  /// A stream that nobody sends to.
  fileprivate static var nothing: Hot<Output, Failure> { HotInput<Output, Failure>().map { $0 } }
}
