// The errors that the operators reject with are told apart in one `switch`.
import UV
import UVPromises

enum EveryErrorOfTheLibrary: Program {
  struct Custom: CancellableError { var isCancelled: Bool { true } }

  static func explain(_ error: any Error) -> String {
    guard let error = error as? PMKError else { return "other, cancelled: \(error.isCancelled)" }
    return switch error {
    case .invalidCallingConvention: "neither a value nor an error"
    case .returnedSelf: "itself"
    case .badInput: "bad input"
    case .cancelled: "cancelled"
    case .compactMap(let value, let type): "\(value) is no \(type)"
    case .emptySequence: "empty"
    case .noWinner: "no winner"
    case .timedOut: "too late"
    case .validationFailure: "not valid"
    case .aggregate(let errors): "all \(errors.count) failed"
    case .abandoned: "abandoned"
    @unknown default: "new: \(error.description)"
    }
  }

  static func show<T>(_ promise: Promise<T>) async {
    do {
      print(try await promise.async())
    } catch {
      print(explain(error))
    }
  }

  static func main() throws {
    EventLoop.run { loop in
      let bad = Promise<Int>(error: PMKError.badInput)
      await show(Promise<Int> { $0.resolve(nil as Int?, nil) })
      await show(race([Promise<Int>]()))
      await show(race(fulfilled: [bad]))
      await show(any([bad, bad]))
      await show(Promise.value("x").compactMap(\.first?.wholeNumberValue))
      await show(Promise.value(1).validate { $0 > 1 })
      await show(loop.sleep(for: .seconds(60)).promise().timeout(0.001))
      await show(Promise<Int>(error: Custom()))
      await show(Promise<Int>(error: CancellationError()))
      await show(Promise<Int>(error: UVError(.cancelled, operation: "own")))
      print(PMKError.cancelled.isCancelled, explain(PMKError.abandoned))
      let result = PMKResult(Result<Int, UVError>.success(1))
      print((try? result.get()) ?? 0, result.error == nil, (try? result.result.get()) ?? 0)
    }
  }
}

// Prints:
// neither a value nor an error
// bad input
// no winner
// all 2 failed
// x is no Int
// not valid
// too late
// other, cancelled: true
// other, cancelled: true
// other, cancelled: true
// true abandoned
// 1 true 1
