// Letting a subscription go cancels the work behind it; a future's ends with its last subscriber.
import UV
import UVFutures

enum CancellingBySubscription: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      var kept: AnyCancellable? = loop.sleep(for: .seconds(3600)).publisher()
        .handleEvents(receiveCancel: { print("cancelled") })
        .sink(receiveCompletion: { print($0) }, receiveValue: { print("slept") })
      loop.sleep(for: .milliseconds(1)) { _ in
        print(kept != nil)
        kept = nil
      }
      let future = loop.sleep(for: .seconds(3600)).future()
      let first = future.sink(receiveCompletion: { _ in }, receiveValue: { print("first") })
      let second = future.sink(receiveCompletion: { _ in }, receiveValue: { print("second") })
      first.cancel()
      second.cancel()
    }
    print("ended")
  }
}

// Prints:
// true
// cancelled
// ended
