// A subscriber of one's own asks for one element at a time.
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
      Future<Int, Never> { $0(.success(4)) }.receive(
        subscriber: OneByOne {
          print($0)
          return .none
        })
    }
  }
}

// Prints:
// three ticks
// directory
// completed
// 4
// completed
