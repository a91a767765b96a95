import Dispatch
import UV

/// A guarantee that is resolved after a time; zero or less means in the next turn of the loop.
///
/// Once cancelled, or if the loop ends before the time, it is never resolved: it is not early. It belongs to
/// the loop of this thread, and stops the program with a message if there is none; so do the other forms,
/// `delay` and `timeout`.
///
/// - Parameters:
///   - duration: How long to wait at least, to the millisecond above.
///   - file: Where this is called, for reports in debug builds.
///   - line: The line there.
///
/// PromiseKit's `after`. The corresponding libuv function is `uv_timer_start`.
public func after(
  _ duration: Duration, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
  let node = RequestNode(file, line, flags: .isGuarantee)
  if let loop = EventLoop.current {
    node.sleep(on: loop, for: duration)
  } else {
    let begin = ContinuousClock.now
    node.startLater("after(_:)") { node.sleep(on: $0, for: duration - (ContinuousClock.now - begin)) }
  }
  return Guarantee(node: node)
}

extension RequestNode {
  fileprivate func sleep(on loop: EventLoop, for duration: Duration) {
    pending = loop.sleep(for: duration) { [self] result in
      pending = PendingRequest()
      if case .success = result { fulfill(()) }
    }
  }
}

/// A guarantee that is resolved after so many seconds, 10⁹ at most; zero or less means in the next turn of
/// the loop.
public func after(
  seconds: Double, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
  after(Duration(clampedSeconds: seconds), file: file, line: line)
}

extension Duration {
  /// So many seconds, none where that is not a number. A time that no clock reaches is as good as any other
  /// that none reaches.
  @usableFromInline
  init(clampedSeconds seconds: Double) {
    self = .seconds(seconds.isNaN ? 0 : min(max(seconds, 0), 1e9))
  }
}

/// A guarantee that is resolved after an interval in Dispatch's form; zero or less means in the next turn of
/// the loop.
///
/// Where both could be meant, as in `after(.milliseconds(1))`, it is a `Duration`; the two mean the same.
@_disfavoredOverload
public func after(
  _ interval: DispatchTimeInterval, file: StaticString = #fileID, line: UInt = #line
) -> Guarantee<Void> {
  switch interval {
  case .seconds(let count): after(Duration.seconds(count), file: file, line: line)
  case .milliseconds(let count): after(Duration.milliseconds(count), file: file, line: line)
  case .microseconds(let count): after(Duration.microseconds(count), file: file, line: line)
  case .nanoseconds(let count): after(Duration.nanoseconds(count), file: file, line: line)
  case .never: Guarantee(node: Node(flags: .isGuarantee))
  @unknown default: after(Duration.zero, file: file, line: line)
  }
}
