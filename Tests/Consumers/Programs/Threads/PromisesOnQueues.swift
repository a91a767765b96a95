// Handlers of promises on queues: elements, ends, guarantees and more work.
import Dispatch
import UV
import UVPromises

private struct Inline: Dispatcher {
  func dispatch(_ body: @escaping @Sendable () -> Void) { body() }
}

private struct User: Sendable { var name: String }

private let background = DispatchQueue(label: "background", attributes: .concurrent)

/// A library's function that calls back on a thread of its own.
private func load(_ name: String, completion: @escaping @Sendable (User?, (any Error)?) -> Void) {
  background.asyncAfter(deadline: .now() + .milliseconds(1)) { completion(User(name: name), nil) }
}

private func user(_ name: String) -> Promise<User> {
  Promise { seal in load(name) { seal.resolve($0, $1) } }
}

enum PromisesOnQueues: Program {
  static func main() throws {
    try handlersOnQueues()
    try elementsOnAQueue()
    try endsOnAQueue()
    try guaranteesOnAQueue()
    try workInTheBackground()
  }

  /// Handlers run on queues and by dispatchers of one's choice, and the outcome comes back to the loop.
  private static func handlersOnQueues() throws {
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      let queue = DispatchQueue(label: "queue")
      let limited = ConcurrencyLimitedDispatcher(limit: 1, on: queue)
      let rated = RateLimitedDispatcher(maxDispatches: 10, perInterval: 1)
      let strict = StrictRateLimitedDispatcher(maxDispatches: 10, perInterval: 1)
      Promise.value(1)
        .map(on: queue) { number in executor.isOnLoop ? -1 : number + 1 }
        .map(on: .global()) { $0 + 1 }
        .map(on: limited) { $0 + 1 }
        .map(on: rated) { $0 + 1 }
        .map(on: strict) { $0 + 1 }
        .map(on: CurrentThreadDispatcher()) { $0 + 1 }
        .map(on: Inline()) { $0 + 1 }
        .map(on: executor) { executor.isOnLoop ? $0 + 1 : -1 }
        .get(on: queue) { _ in }
        .tap(on: queue) { _ in }
        .ensure(on: queue) {}
        .compactMap(on: queue) { Optional($0) }
        .then(on: queue) { Promise.value($0 + 1) }
        .done { print($0, executor.isOnLoop) }
        .catch(on: queue) { print($0) }
    }
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      let queue = DispatchQueue(label: "queue")
      Promise<Int>(error: PMKError.badInput)
        .recover(on: queue) { _ in Promise.value(executor.isOnLoop ? -1 : 0) }
        .done { print("recovered \($0)") }
        .catch { print($0) }
    }
    EventLoop.runCallbacks { loop in
      let queue = DispatchQueue(label: "queue")
      Guarantee.value(1).map(on: queue) { $0 + 1 }.done(on: queue) { number in
        guard number == 2 else { return print("wrong") }
      }.done { print("guarantee") }
    }
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      let queue = DispatchQueue(label: "queue")
      let work: @Sendable () throws -> Int = { throw PMKError.badInput }
      queue.async(.promise, execute: work).done(on: .main) { print($0) }.catch(on: .main) { _ in }
      queue.async(.promise) { executor.isOnLoop }.done { print("async: \($0)") }
    }
  }

  /// The elements of a sequence are worked on away from the loop, by promises that keep their names.
  private static func elementsOnAQueue() throws {
    let queue = DispatchQueue(label: "work")
    try EventLoop.run { loop in
      let numbers = Promise.value([3, 1, 2])
      print(try await numbers.mapValues(on: queue) { $0 * 10 }.async())
      print(try await numbers.flatMapValues(on: queue) { [$0, -$0] }.async())
      print(try await numbers.compactMapValues(on: queue) { $0 > 1 ? "\($0)" : nil }.async())
      print(try await numbers.filterValues(on: queue) { $0 != 1 }.async())
      print(try await numbers.sortedValues(on: queue).async())
      print(try await numbers.firstValue(on: queue) { $0 < 3 }.async())
      print(try await numbers.thenMap(on: queue) { Promise.value($0 + 1) }.async())
      print(try await numbers.thenFlatMap(on: .global()) { Promise.value([$0, $0]) }.async())
      do {
        _ = try await numbers.firstValue(on: queue) { $0 > 3 }.async()
      } catch PMKError.emptySequence {
        print("no such number")
      }
    }
  }

  struct Broken: Error {}

  static func broken() -> Promise<Int> { Promise(error: Broken()) }

  /// Errors are recovered from and caught on queues, and what comes last is done there, too.
  private static func endsOnAQueue() throws {
    let queue = DispatchQueue(label: "ends")
    let examples: [(EventLoop) -> Void] = [
      { loop in
        let executor = loop.executor
        broken()
          .ensure(on: queue) { print("ensured, on the loop: \(executor.isOnLoop)") }
          .catch(on: queue) { print("caught \($0), on the loop: \(executor.isOnLoop)") }
          .finally(on: queue) { print("finally, on the loop: \(executor.isOnLoop)") }
      },
      { _ in
        broken().ensureThen(on: queue) { Guarantee() }.recover(on: queue) { _ in Guarantee.value(2) }
          .done { print($0) }
      },
      { _ in
        broken().recover(on: queue, policy: .allErrors) { _ in Promise.value(3) }.done { print($0) }
          .cauterize()
      },
      { _ in
        let sure: Guarantee<Void> = broken().asVoid().recover(on: queue) { _ in }
        sure.done { print("sure") }
      },
      { _ in
        broken().asVoid().recover(on: queue) { error in
          guard error is Broken else { throw error }
        }
        .done { print("only what is broken") }.cauterize()
      },
      { _ in broken().catch { _ in }.finally(on: queue, flags: .barrier) { print("behind the others") } },
      { _ in broken().catch { _ in }.finally(on: DispatchQueue.main) { print("on the main queue") } },
    ]
    for example in examples {
      EventLoop.runCallbacks { loop in example(loop) }
      // The loop does not wait for what comes last on a queue.
      queue.sync {}
    }
    EventLoop.runCallbacks { loop in _ = loop.sleep(for: .milliseconds(1)).promise() }
  }

  /// What cannot fail still cannot when its handlers run on a queue.
  private static func guaranteesOnAQueue() throws {
    let queue = DispatchQueue(label: "work")
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      Guarantee.value([3, 1, 2])
        .mapValues(on: queue) { executor.isOnLoop ? 0 : $0 * 2 }
        .filterValues(on: queue) { $0 > 2 }
        .flatMapValues(on: queue) { [$0, $0 + 1] }
        .compactMapValues(on: queue) { $0 == 5 ? nil : $0 }
        .thenMap(on: queue) { Guarantee.value($0 + 1) }
        .sortedValues(on: queue)
        .done { print($0) }
    }
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      Guarantee.value([3, 1, 2])
        .get(on: queue) { if executor.isOnLoop { print("on the loop: \($0)") } }
        .sortedValues(on: queue) { $0 > $1 }
        .then(on: queue) { Guarantee.value($0) }
        .map(on: queue) { $0.map(String.init) }
        .done { print($0.joined(separator: " ")) }
    }
    EventLoop.runCallbacks { _ in
      Guarantee.value([1, 2]).thenFlatMap(on: queue) { Guarantee.value([$0, $0]) }.done { print($0) }
    }
    EventLoop.runCallbacks { _ in
      Promise.value(4).done(on: queue) { print($0) }.cauterize()
    }
    EventLoop.runCallbacks { _ in
      let words = Guarantee.value(["b", "c", "a"])
      words.sortedValues().done { print($0) }
      words.sortedValues { $0 > $1 }.done { print($0) }
    }
  }

  /// A handler on a queue begins more work by promises, as in the guide of PromiseKit, and returns what comes of it.
  private static func workInTheBackground() throws {
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      firstly {
        user("one")
      }.then(on: background) { first in
        user(first.name + ", two").map { (executor.isOnLoop ? $0.name : "not on the loop") + "!" }
      }.then(on: background) { names in
        background.async(.promise) { names + " computed" }
      }.then(on: background) { text in
        when(fulfilled: user("three"), after(seconds: 0.001)).map { text + ", " + $0.0.name }
      }.done {
        print($0)
      }.catch { print($0) }
    }
    EventLoop.runCallbacks { _ in
      Guarantee.value(["a", "b"]).thenMap(on: background) { name in
        after(.milliseconds(1)).map { name.uppercased() }
      }.done(on: background) { names in
        // Nobody waits for this one.
        user("later").done { print(names, $0.name) }.cauterize()
      }
    }
  }
}

// Prints:
// 10 true
// recovered 0
// guarantee
// async: false
// [30, 10, 20]
// [3, -3, 1, -1, 2, -2]
// ["3", "2"]
// [3, 2]
// [1, 2, 3]
// 1
// [4, 2, 3]
// [3, 3, 1, 1, 2, 2]
// no such number
// ensured, on the loop: false
// caught Broken(), on the loop: false
// finally, on the loop: false
// 2
// 3
// sure
// only what is broken
// behind the others
// on the main queue
// [5, 7, 8]
// 3 2 1
// [1, 1, 2, 2]
// 4
// ["a", "b", "c"]
// ["c", "b", "a"]
// one, two! computed, three
// ["A", "B"] later
