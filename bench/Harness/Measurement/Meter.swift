import Synchronization

/// The stopwatch of a run: what the process used between `open` and `close`.
///
/// It may be opened and closed from any thread, since the end of a TCP run is known
/// to the thread that talks with the load generator and not to the loop.
public final class Meter: Sendable {
  /// A counter that is read at both ends of the window.
  struct Reading: Sendable {
    let counter: Counter
    let read: @Sendable () -> UInt64
  }

  struct Measurement: Hashable, Sendable {
    var usage: ProcessUsage
    var counters: [Counter: UInt64]
  }

  private struct State {
    var opened: (usage: ProcessUsage, counters: [UInt64])?
    var measurement: Measurement?
  }

  private let counters: [Reading]
  private let usage: @Sendable () -> ProcessUsage
  private let onOpen: @Sendable () -> Void
  private let state = Mutex(State())

  /// A meter that also reads `counters`. `usage` reads the clocks, of this process by default.
  /// `onOpen` is called in the window, when it has just been opened: a test of the harness may do there what
  /// should be noticed.
  init(
    counters: [Reading] = [], onOpen: @escaping @Sendable () -> Void = {},
    usage: @escaping @Sendable () -> ProcessUsage = { ProcessUsage.now() }
  ) { (self.counters, self.usage, self.onOpen) = (counters, usage, onOpen) }

  /// Opens the window. The clocks are read last.
  public func open() {
    let values = counters.map { $0.read() }
    state.withLock { $0.opened = (usage(), values) }
    onOpen()
  }

  /// Closes the window. The clocks are read first. Closing twice changes nothing. `other` is what was used,
  /// if that wasn't by this process.
  public func close(_ other: ProcessUsage? = nil) {
    let end = usage()
    let values = counters.map { $0.read() }
    state.withLock { state in
      guard let (usage, before) = state.opened, state.measurement == nil else { return }
      var deltas: [Counter: UInt64] = [:]
      for (reading, (first, last)) in zip(counters, zip(before, values)) {
        deltas[reading.counter] = last &- first
      }
      var used = other ?? end.since(usage)
      used.wall = end.wall &- usage.wall
      state.measurement = Measurement(usage: used, counters: deltas)
    }
  }

  /// What was measured, once the window has been opened and closed.
  var measurement: Measurement? { state.withLock { $0.measurement } }

  /// The answer to a run with this meter, in whose errors the row is named.
  func answer(
    for row: some CustomStringConvertible, peak: (RunOutcome) -> UInt64 = { _ in 0 },
    _ run: () throws -> RunOutcome
  ) throws -> WorkerAnswer {
    let outcome = try naming(row, run)
    guard let measurement else { throw WrongWork("\(row) opened no window") }
    return WorkerAnswer(outcome, measurement, peakRSSBytes: peak(outcome))
  }
}
