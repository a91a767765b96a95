#if Service || Everything
import Metrics
import UV
import UVStalls

/// Reports the metrics of one loop again and again, until the loop ends or it is stopped. On the loop's
/// thread.
final class LoopReport {
  private var instruments: LoopInstruments
  private let interval: Duration
  private weak var loop: EventLoop?
  private var last: LoopReading
  private var timer = PendingRequest()
  private var isStopped = false

  init(_ loop: EventLoop, every interval: Duration, _ instruments: LoopInstruments) {
    self.loop = loop
    self.interval = interval
    self.instruments = instruments
    loop.measurePool()
    last = LoopReading(loop)
    wait(loop)
  }

  func stop() {
    isStopped = true
    timer.cancel()
  }

  /// The timer keeps this object, and keeps no loop running.
  private func wait(_ loop: EventLoop) {
    timer = loop.sleepQuietly(for: interval) { [self] result in
      guard let loop = self.loop else { return }
      let reading = LoopReading(loop)
      instruments.record(reading, since: last)
      last = reading
      if isStopped { return }
      if case .success = result { wait(loop) } else { instruments.recordEnd() }
    }
  }
}
#endif
