// Handlers run on queues and by dispatchers of one's choice, and the outcome comes back to the loop.
import Dispatch
import UV
import UVPromises

private struct Inline: Dispatcher {
  func dispatch(_ body: @escaping @Sendable () -> Void) { body() }
}

enum HandlersOnQueues: Program {
  static func main() throws {
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
}

// Prints:
// 10 true
// recovered 0
// guarantee
// async: false
