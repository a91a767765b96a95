/// A promise as a retry further down the chain sees it.
protocol RetriedPromise: AnyObject {
  /// The one before it in the chain.
  var above: (any RetriedPromise)? { get }
  /// The verdict of a retry further down on a failure that has passed here; nil if none has taken it.
  var verdict: RetryVerdict? { get set }
}

extension RetriedPromise {
  /// Notes for this promise and all above it what becomes of their failure.
  func note(_ verdict: RetryVerdict?) {
    var promise: (any RetriedPromise)? = self
    while let current = promise {
      current.verdict = verdict
      promise = current.above
    }
  }
}

/// Whether a failure that a retry has taken ends the chain. Handlers of the end wait for that.
final class RetryVerdict {
  typealias End = (_ isCancelled: Bool) -> Void
  private var waiting: [End] = []
  private var isDecided = false

  /// Calls `end` if the failure turns out to be the last, or the chain is cancelled before that is known.
  func whenFinal(_ end: @escaping End) { if !isDecided { waiting.append(end) } }

  /// There is another attempt, which comes to all of them.
  func tryAgain() {
    isDecided = true
    waiting = []
  }

  /// There is none. Calls `goOn`, which notifies the rest of the chain and then the handlers, lowest first.
  func stand(isCancelled: Bool = false, _ goOn: @escaping () -> Void) {
    let ends = waiting
    tryAgain()
    Propagation.run {
      for end in ends.reversed() { Propagation.atEnd { end(isCancelled) } }
      goOn()
    }
  }
}
