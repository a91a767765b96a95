// Errors are told apart, put into words, recovered from, and reported when nobody handles them.
import UV
import UVPromises

enum ErrorsOfPromises: Program {
  static func main() throws {
    try everyErrorOfTheLibrary()
    try errorsInWords()
    try recoveriesAndPolicies()
    try whatIsReported()
  }

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

  /// The errors that the operators reject with are told apart in one `switch`.
  private static func everyErrorOfTheLibrary() throws {
    EventLoop.run { loop in
      let bad = Promise<Int>(error: PMKError.badInput)
      await show(Promise<Int> { $0.resolve(nil as Int?, nil) })
      await show(race([Promise<Int>]()))
      await show(race(fulfilled: [bad]))
      await show(any([bad, bad]))
      await show(Promise.value("x").compactMap(\.first?.wholeNumberValue))
      await show(Promise.value(1).validate { $0 > 1 })
      await show(loop.sleep(for: .untilCancelled).promise().timeout(0.001))
      await show(Promise<Int>(error: Custom()))
      await show(Promise<Int>(error: CancellationError()))
      await show(Promise<Int>(error: UVError(.cancelled, operation: "own")))
      print(PMKError.cancelled.isCancelled, explain(PMKError.abandoned))
      let result = PMKResult(Result<Int, UVError>.success(1))
      print((try? result.get()) ?? 0, result.error == nil, (try? result.result.get()) ?? 0)
    }
  }

  static func sentence(for error: any Error) -> String {
    if let error = error as? PMKError, let sentence = error.errorDescription { return sentence }
    return "\(error)"
  }

  /// What a program tells its users and its log of an error of the library's.
  private static func errorsInWords() throws {
    conf.logHandler = { event in print("log:", event.debugDescription.prefix(33)) }
    EventLoop.runCallbacks { _ in
      Promise.value([Int]()).firstValue.catch { error in
        print(sentence(for: error) == "\(error)", sentence(for: error).isEmpty)
      }
      Promise.value("x").compactMap { Int($0) }.catch { error in
        guard let error = error as? PMKError else { return print(error) }
        print(error.debugDescription.contains("Int"))
      }
      _ = Promise<Int>.pending()
    }
  }

  enum Failure: Error { case one, two }

  /// Errors are recovered from, mapped and validated; what is cancelled is caught only where the policy says so.
  private static func recoveriesAndPolicies() throws {
    let examples: [() -> Void] = [
      { failed().recover { _ in Promise.value(1) }.done { print($0) }.cauterize() },
      { failed().recover { _ in Guarantee.value(2) }.done { print($0) } },
      {
        failed().asVoid().recover { error in
          guard case Failure.one = error else { throw error }
        }.done { print("void") }.cauterize()
      },
      {
        let sure: Guarantee<Void> = failed().asVoid().recover { _ in }
        sure.done { print("sure") }
      },
      { failed().mapError { _ in Failure.two }.catch { print($0) } },
      {
        Promise.value(5).validate { $0 > 9 }.catch { error in
          if case PMKError.validationFailure = error { print("not valid") }
        }
      },
      {
        failed().ensureThen { after(.milliseconds(1)) }.always { print("always") }
          .catch { print("last: \($0)") }
      },
      {
        cancelled().recover { _ in Promise.value(3) }
          .catch(policy: .allErrors) { print("cancelled: \($0.isCancelled)") }
      },
      { cancelled().recover(policy: .allErrors) { _ in Promise.value(4) }.done { print($0) }.cauterize() },
      { cancelled().catch(policy: .allErrorsExceptCancellation) { _ in print("not told") } },
      { firstly { () -> Promise<Int> in throw Failure.two }.catch { print("thrown: \($0)") } },
      { firstly { Guarantee.value("sure") }.done { print($0) } },
      { Promise.value(1).map(on: .inline) { $0 + 1 }.done(on: nil) { print("inline \($0)") }.cauterize() },
      {
        Promise.value(1).done(on: .microtask) { print("microtask \($0)") }.cauterize().finally {
          print("end")
        }
      },
    ]
    for example in examples {
      EventLoop.runCallbacks { _ in example() }
    }
  }

  static func failed() -> Promise<Int> { Promise(error: Failure.one) }
  static func cancelled() -> Promise<Int> { Promise(error: PMKError.cancelled) }

  struct Forgotten: Error, CustomStringConvertible { var description: String { "forgotten" } }

  /// What gets lost is reported: a rejection that nobody handles, and a promise that nobody resolves.
  private static func whatIsReported() throws {
    conf.unhandledRejectionHandler = { rejection in
      print(
        "unhandled: \(rejection.error)", rejection.description.hasPrefix("unhandled rejection: forgotten"))
      if let site = rejection.site {
        print(site.file.hasSuffix("swift") && site.line > 0)
      } else {
        print(true)
      }
    }
    conf.logHandler = { event in
      switch event {
      case .pendingPromiseDeallocated: print("a promise was dropped")
      case .pendingGuaranteeDeallocated: print("a guarantee was dropped")
      case .cauterized(let error): print("cauterized: \(error)")
      default: print(event)
      }
    }
    conf.logHandler(.pendingPromiseDeallocated)
    conf.logHandler(.pendingGuaranteeDeallocated)
    print(explain(PMKError.compactMap(1, Int.self)))
    print(conf.catchPolicy == .allErrorsExceptCancellation)
    print(conf.Q.map == .microtask, conf.Q.return == .microtask)
    EventLoop.runCallbacks { _ in
      _ = Promise<Int>(error: Forgotten())
      _ = Promise<Int>.pending()
      Promise<Int>(error: Forgotten()).cauterize()
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
// true false
// true
// log: a pending promise was deallocated
// 1
// 2
// void
// sure
// two
// not valid
// always
// last: one
// cancelled: true
// 4
// thrown: two
// sure
// inline 2
// microtask 1
// end
// a promise was dropped
// a guarantee was dropped
// 1 is no Int
// true
// true true
// cauterized: forgotten
// a promise was dropped
// unhandled: forgotten true
// true
