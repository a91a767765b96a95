import CUV

/// A tick of a repeating timer.
public struct Tick: Hashable, Sendable {
  /// The number of this tick. The first tick is 0, and missed ticks are counted.
  public var index: Int
  /// How many ticks before this one came due while nobody asked.
  public var missed: Int
}

/// A repeating timer: a source of ticks at multiples of its interval, without drift.
///
/// Each tick comes at its multiple, rounded up to the next millisecond of the loop's clock. So the time from one tick to
/// the next is the interval on average, and varies by up to a millisecond: ticks that come 60 times a second are 16 or
/// 17 ms apart. A tick that is late doesn't move those after it.
///
/// Ticks aren't stored. When you ask after one or more ticks have come due, you get one tick, and its
/// ``Tick/missed`` counts those before it.
///
/// The corresponding libuv functions are `uv_timer_start` and `uv_timer_stop`.
public final class Ticks: ReadableSource<Tick>, SourceDriver {
  private let interval: UInt64
  private let beginning: UInt64
  private var delivered = 0
  private var timer = PendingRequest()
  let source: WaiterQueue<Tick>

  init(loop: EventLoop, interval: Duration) {
    require(interval >= .milliseconds(1), "ticks(every:): an interval is a millisecond or more")
    self.interval = interval.nanoseconds
    beginning = uv_hrtime()
    source = WaiterQueue()
    super.init(loop)
    source.driver = self
  }

  var operation: String { "tick" }

  override var line: (waiters: WaiterQueue<Tick>, driver: any SourceDriver) { (source, self) }

  func resume() {
    // If a handler has stopped and started again within a tick, a timer is already running.
    timer.cancel()
    let (offset, isTooLate) = interval.multipliedReportingOverflow(by: UInt64(delivered + 1))
    let (sum, isLater) = beginning.addingReportingOverflow(offset)
    let due = LoopClock.Instant(nanoseconds: isTooLate || isLater ? .max : sum)
    // The timer keeps the source alive while somebody waits.
    timer = loop.sleep(until: due) { [self] result in
      switch result {
      case .success: tick()
      case .failure(let error): if loop.isClosed { source.finish(UVError(error.code, operation: operation)) }
      }
    }
  }

  func pause() {
    timer.cancel()
    timer = PendingRequest()
  }

  private func tick() {
    let count = Swift.max(Int((uv_hrtime() &- beginning) / interval), delivered + 1)
    let tick = Tick(index: count - 1, missed: count - delivered - 1)
    delivered = count
    source.deliver(tick)
    if source.hasDemand { resume() } else { source.pauseIfUnwanted() }
  }
}
