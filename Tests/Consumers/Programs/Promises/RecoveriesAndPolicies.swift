// Errors are recovered from, mapped and validated; what is cancelled is caught only where the policy says so.
import UV
import UVPromises

enum RecoveriesAndPolicies: Program {
  enum Failure: Error { case one, two }

  static func main() throws {
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
}

// Prints:
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
