// Promises that the program itself resolves, and what is generic over them.
import Dispatch
import UV
import UVPromises

/// Of no use to another thread.
private final class Draft {
  var text = ""
}

private final class Questions {
  private var answers: [(String) -> Void] = []

  func ask() -> Guarantee<String> {
    let (guarantee, resolve) = Guarantee<String>.pending()
    answers.append(resolve)
    return guarantee
  }

  func answer(_ text: String) { answers.removeFirst()(text) }
}

private func twice<P: Thenable>(_ thenable: P) -> Promise<(P.T, P.T)> {
  thenable.map { ($0, $0) }
}

private func quiet<P: CatchMixin>(_ promise: P) -> Promise<Void> {
  promise.asVoid().recover { _ in }
}

private final class Cache {
  private let loop: EventLoop
  private var sizes: [String: Promise<Int64>] = [:]
  private(set) var misses = 0

  init(_ loop: EventLoop) { self.loop = loop }

  func size(_ path: String) -> Promise<Int64> {
    if let known = sizes[path] { return known }
    misses += 1
    let size = loop.files.stat(path).promise().map(\.size)
    sizes[path] = size
    return size
  }
}

enum PromisesOfOnesOwn: Program {
  static func main() throws {
    try resolversOfOnesOwn()
    try sealedByCallbacks()
    try thenablesOfOnesOwn()
  }

  struct Refused: Error {}

  /// Promises and guarantees that somebody else resolves: by closures that are passed on, on the loop or to a queue.
  private static func resolversOfOnesOwn() throws {
    EventLoop.runCallbacks { loop in
      let questions = Questions()
      questions.ask().done { print("answer: \($0)") }
      loop.sleep(for: .milliseconds(1)) { _ in questions.answer("yes") }

      let (draft, finish) = Guarantee<Draft>.pending()
      draft.done { print("draft: \($0.text)") }
      loop.queueMicrotask {
        let written = Draft()
        written.text = "words"
        finish(written)
      }

      Guarantee<Draft> { done in loop.sleep(for: .milliseconds(2)) { _ in done(Draft()) } }
        .map { $0.text.isEmpty }.done { print("empty: \($0)") }
    }

    EventLoop.runCallbacks { loop in
      let (promise, seal) = Promise<Int>.pending()
      print(seal.isPending, seal.fulfill(1), seal.isPending, seal.fulfill(2), seal.reject(Refused()))
      promise.done { print("one: \($0)") }.cauterize()
      let (nothing, end) = Promise<Void>.pending()
      end.onCancel { print("given back") }
      nothing.cancel()
      if !end.fulfill() { print("too late") }
    }

    try EventLoop.run { _ in
      let queue = DispatchQueue(label: "work")
      print(await Guarantee<Int> { done in queue.async { done(42) } }.async())

      let (number, fulfill, _) = Promise<Int>.withResolvers()
      queue.async { fulfill(1) }
      print(try await number.async())

      let (refused, _, reject) = Promise<Int>.withResolvers()
      queue.async { reject(Refused()) }
      do { print(try await refused.async()) } catch { print(error) }

      let (draft, hand, _) = Promise<Draft>.withResolvers()
      hand(Draft())
      print(try await draft.async().text.isEmpty)
    }
  }

  static func legacy(_ loop: EventLoop, fails: Bool, _ done: @escaping (String?, (any Error)?) -> Void) {
    loop.queueMicrotask { fails ? done(nil, Refused()) : done("text", nil) }
  }

  static func after(_ loop: EventLoop, _ value: Int, completion: @escaping (Int) -> Void) {
    loop.queueMicrotask { completion(value) }
  }

  static func fail(_ loop: EventLoop, completion: @escaping (any Error) -> Void) {
    loop.queueMicrotask { completion(Refused()) }
  }

  static func finish(_ loop: EventLoop, completion: @escaping () -> Void) {
    loop.queueMicrotask { completion() }
  }

  static func show<T>(_ promise: Promise<T>) async {
    do {
      print(try await promise.async())
    } catch {
      print("refused: \(error is Refused)")
    }
  }

  /// Promises around callbacks: every form of `resolve`, `pending`, `withResolvers`, guarantees.
  private static func sealedByCallbacks() throws {
    EventLoop.run { loop in
      await show(Promise<String> { legacy(loop, fails: false, $0.resolve) })
      await show(Promise { seal in legacy(loop, fails: true) { seal.resolve($1, $0) } })
      await show(
        Promise<Int> { seal in loop.queueMicrotask { seal.resolve(Result<Int, any Error>.success(5)) } })
      await show(Promise<Int> { seal in seal.resolve(PMKResult.fulfilled(6)) })
      await show(Promise<Void> { seal in loop.queueMicrotask { seal.fulfill() } })
      await show(Promise<Void> { seal in loop.queueMicrotask { seal.resolve(Refused()) } })
      await show(Promise<Void> { seal in loop.queueMicrotask(seal.fulfill_) })
      await show(Promise<Int> { seal in loop.queueMicrotask { seal.resolve(6, Refused() as any Error) } })
      await show(Promise<Int> { seal in throw Refused() })
      // As completion handlers, which return nothing.
      await show(Promise<Int> { seal in after(loop, 11, completion: seal.fulfill) })
      await show(Promise<Int> { seal in fail(loop, completion: seal.reject) })
      await show(Promise<Void> { seal in finish(loop, completion: seal.fulfill) })

      let (promise, resolver) = Promise<String>.pending()
      print(promise.isPending, promise.isResolved, promise.result == nil)
      resolver.fulfill("pending")
      resolver.reject(Refused())
      print(promise.isFulfilled, promise.isRejected, promise.value ?? "-", promise.error == nil)
      await show(promise)
      let (second, resolve, _) = Promise<Int>.withResolvers()
      resolve(7)
      await show(second)
      second.pipe { result in
        switch result {
        case .fulfilled(let value): print("piped \(value)")
        case .rejected(let error): print(error)
        }
      }

      let (guarantee, seal) = Guarantee<Int>.pending()
      seal(8)
      print(await guarantee.get { print($0) }.map { $0 + 1 }.then { Guarantee.value($0) }.async())
      print(await Guarantee { $0("from a closure") }.async())
      await show(Promise(Guarantee.value(10)))
    }
  }

  /// Functions that are generic over thenables, and a class whose methods return promises.
  private static func thenablesOfOnesOwn() throws {
    EventLoop.runCallbacks { loop in
      twice(Guarantee.value(1)).done { print($0, $1) }.cauterize()
      twice(Promise.value("a")).done { print($0, $1) }.cauterize()
      let cache = Cache(loop)
      when(fulfilled: cache.size("/"), cache.size("/tmp"), cache.size("/")).done { a, _, b in
        print(a == b, cache.misses)
      }.cauterize().finally {
        quiet(cache.size("/nowhere")).done { print("quiet") }.cauterize()
      }
      let anything: [any Thenable] = [Promise.value(1), Promise.value("b")]
      when(fulfilled: anything).done { print($0) }.cauterize()
      let pending: CancellablePromise<Int> = Promise.value(3)
      print(pending, pending.debugDescription.isEmpty, Guarantee.value(1))
    }
  }
}

// Prints:
// draft: words
// answer: yes
// empty: true
// true true false false false
// given back
// too late
// one: 1
// 42
// 1
// Refused()
// true
// text
// refused: true
// 5
// 6
// ()
// refused: true
// ()
// refused: true
// refused: true
// 11
// refused: true
// ()
// true false true
// true false pending true
// pending
// 7
// piped 7
// 8
// 9
// from a closure
// 10
// Promise(3) false Guarantee(1)
// [1, "b"]
// 1 1
// a a
// true 2
// quiet
