// Callbacks in futures, as an introduction to Combine's has them: begun at once, run once, chosen by flatMap.
import UV
import UVFutures

/// Asks a user for permission: answers by callbacks.
private final class Center {
  enum Status { case denied, undecided, granted }
  struct Refused: Error {}

  let loop: EventLoop
  let status: Status
  let answer: Bool?
  private(set) var questions = 0

  init(_ loop: EventLoop, _ status: Status, answer: Bool? = nil) {
    (self.loop, self.status, self.answer) = (loop, status, answer)
  }

  func settings(_ handler: @escaping (Status) -> Void) {
    loop.sleep(for: .zero) { [status] _ in handler(status) }
  }

  func ask(_ options: [String], _ handler: @escaping (Bool, (any Error)?) -> Void) {
    questions += 1
    loop.sleep(for: .zero) { [answer] _ in handler(answer ?? false, answer == nil ? Refused() : nil) }
  }
}

extension Center {
  func settings() -> Future<Status, Never> {
    Future { promise in self.settings { promise(.success($0)) } }
  }

  func ask(_ options: [String]) -> Future<Bool, any Error> {
    Future { promise in
      self.ask(options) { result, error in
        if let error { promise(.failure(error)) } else { promise(.success(result)) }
      }
    }
  }

  /// The same by callbacks alone.
  func permission(_ handler: @escaping (Bool) -> Void) {
    settings { status in
      switch status {
      case .denied: handler(false)
      case .undecided: self.ask(["alert"]) { result, error in handler(result && error == nil) }
      case .granted: handler(true)
      }
    }
  }

  func permission() -> AnyPublisher<Bool, Never> {
    settings()
      .flatMap { status -> AnyPublisher<Bool, Never> in
        switch status {
        case .denied: return Just(false).eraseToAnyPublisher()
        case .undecided: return self.ask(["alert"]).replaceError(with: false).eraseToAnyPublisher()
        case .granted: return Just(true).eraseToAnyPublisher()
        }
      }
      .eraseToAnyPublisher()
  }
}

enum PermissionByFutures: Program {
  static func main() throws {
    var cancellables: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      var runs = 0
      func answer() -> Future<Int, Never> {
        Future { promise in
          runs += 1
          promise(.success(42))
        }
      }
      let future = answer()
      print("run without a subscriber:", runs)
      for _ in 1...2 { future.map { $0 + runs - 1 }.sink { print($0) }.store(in: &cancellables) }
      print("run for two subscribers:", runs)

      let centers = [
        Center(loop, .denied), Center(loop, .undecided, answer: true), Center(loop, .undecided),
        Center(loop, .granted),
      ]
      for (index, center) in centers.enumerated() {
        center.permission().sink { hasPermission in
          center.permission { print(index, hasPermission, $0 == hasPermission, center.questions) }
        }
        .store(in: &cancellables)
      }
    }
  }
}

// Prints:
// run without a subscriber: 1
// 42
// 42
// run for two subscribers: 1
// 0 false true 0
// 3 true true 0
// 1 true true 2
// 2 false true 2
