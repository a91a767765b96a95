// A publisher that is silent for too long is ended by `timeout`, in Combine's form.
import UV
import UVFutures

enum TimeoutsOfPublishers: Program {
  enum Failure: Error { case silent }

  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let subject = PassthroughSubject<Int, Failure>()
      subject.timeout(.milliseconds(20), scheduler: loop, customError: { .silent })
        .sink(
          receiveCompletion: { if case .failure(.silent) = $0 { print("silent") } },
          receiveValue: { print($0) }
        )
        .store(in: &subscriptions)
      subject.send(1)
      let quiet = PassthroughSubject<Int, Never>()
      quiet.timeout(.milliseconds(40), scheduler: loop)
        .sink(receiveCompletion: { print("quiet: \($0)") }, receiveValue: { print($0) })
        .store(in: &subscriptions)
      loop.sleep(for: .milliseconds(60)) { _ in print(subscriptions.count) }
    }
  }
}

// Prints:
// 1
// silent
// quiet: finished
// 2
