#if Everything
import UV
import UVFutures

/// The operators that have a clock, each with what it delivers as an array.
enum ClockedOperator: CaseIterable, Sendable {
  case delay, throttleLatest, throttleFirst, debounce, timeout, collect, collectByCount

  /// - Parameters:
  ///   - subject: Where the values come from.
  ///   - loop: Whose clock it is.
  ///   - time: The operator's interval or limit.
  ///   - count: How many values `collectByCount` has at most in a group.
  func publisher(
    _ subject: AnyLoopPublisher<Int, Never>, _ loop: EventLoop, _ time: Duration, count: Int = 2
  ) -> AnyLoopPublisher<[Int], Never> {
    let time = EventLoop.SchedulerTimeType.Stride(time)
    return switch self {
    case .delay: subject.delay(for: time, scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher()
    case .throttleLatest:
      subject.throttle(for: time, scheduler: loop, latest: true).map { [$0] }.eraseToAnyLoopPublisher()
    case .throttleFirst:
      subject.throttle(for: time, scheduler: loop, latest: false).map { [$0] }.eraseToAnyLoopPublisher()
    case .debounce: subject.debounce(for: time, scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher()
    case .timeout: subject.timeout(time, scheduler: loop).map { [$0] }.eraseToAnyLoopPublisher()
    case .collect: subject.collect(.byTime(loop, time)).eraseToAnyLoopPublisher()
    case .collectByCount: subject.collect(.byTimeOrCount(loop, time, count)).eraseToAnyLoopPublisher()
    }
  }
}
#endif
