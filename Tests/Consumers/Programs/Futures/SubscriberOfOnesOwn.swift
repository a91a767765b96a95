// A subscriber of one's own asks for one element at a time; a throttle and a cell keep futures and streams.
import UV
import UVFutures

private final class OneByOne<Input, Failure: Error>: Subscriber {
  private var subscription: (any Subscription)?
  private let handle: (Input) -> Subscribers.Demand

  init(_ handle: @escaping (Input) -> Subscribers.Demand) { self.handle = handle }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.max(1))
  }
  func receive(_ input: Input) -> Subscribers.Demand { handle(input) }
  func receive(completion: Subscribers.Completion<Failure>) { print("completed") }
  func cancel() { subscription?.cancel() }
}

private struct Cell {
  var future: Future<Int, Never>
  var stream: Hot<Int, Never>
  var state: StreamState<Never>
  var end: Termination<Never>?
}

private func keep<F: StreamFuture<Int, Never>>(_ future: F) -> Future<Int, Never> {
  future.asFuture
}

enum SubscriberOfOnesOwn: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      var count = 0
      var cancel: (() -> Void)?
      let subscriber = OneByOne<Tick, UVError> { _ in
        count += 1
        guard count == 3 else { return .max(1) }
        print("three ticks")
        cancel?()
        cancel = nil
        return .none
      }
      cancel = { subscriber.cancel() }
      loop.ticks(every: .milliseconds(1)).publisher().receive(subscriber: subscriber)
    }
    EventLoop.runCallbacks { loop in
      loop.files.stat("/").publisher().receive(
        subscriber: OneByOne {
          print($0.type)
          return .none
        })
    }
    EventLoop.runCallbacks { loop in
      Future<Int, Never>.completed(4).receive(
        subscriber: OneByOne {
          print($0)
          return .none
        })
    }
    let input = FutureInput<Int, Never>()
    let stream = HotInput<Int, Never>()
    var cell = Cell(future: keep(input), stream: stream, state: input.state)
    input.complete(.success(5))
    cell.state = input.state
    stream.terminate()
    cell.end = stream.termination
    print(
      cell.future === input, cell.state == .terminated(reason: .completed), cell.end == .completed)
    let done = FutureInput<Void, UVError>()
    done.complete()
    let failed = FutureInput<Int, UVError>()
    failed.complete(UVError(.busy, operation: "own"))
    print(
      done.isActive, failed.state == .terminated(reason: .error(UVError(.busy, operation: "own"))))
  }
}

// Prints:
// three ticks
// directory
// completed
// 4
// completed
// true true true
// false true
