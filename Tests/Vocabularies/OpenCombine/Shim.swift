// Beside OpenCombine's tests: a loop for each test, on a clock that stands still, and the loop's publishers for their scheduler.
import Foundation
import UV
import UVFutures
import VirtualClock
import XCTest

let usesLoop = ProcessInfo.processInfo.environment["LOOP"] == "1"

/// Gives each test a loop of its own on the main thread, with a clock that stands still.
class LoopTestCase: XCTestCase {
  private var loop: EventLoop?

  // Not around `invokeTest`: XCTest's own run loop waits there, which needs the real clock.
  override func setUp() {
    guard usesLoop else { return }
    virtual_clock_begin()
    loop = EventLoop.forTests
  }

  override func tearDown() {
    guard usesLoop else { return }
    loop?.shutdown()
    loop = nil
    virtual_clock_end()
  }
}

extension EventLoop {
  /// The loop of this thread. The properties of a test make one before the test begins.
  static var forTests: EventLoop {
    if let current { return current }
    made = try! EventLoop()
    return made!
  }

  private nonisolated(unsafe) static var made: EventLoop?
}

/// A test of an operator that keeps time. The loop is its scheduler, and has no record of what it was asked for.
class TimedTestCase: LoopTestCase {
  override func invokeTest() {
    keepsNoRecord = usesLoop
    super.invokeTest()
    keepsNoRecord = false
  }
}

nonisolated(unsafe) private var keepsNoRecord = false

/// Compares records, where there are any.
private func compare<Value: Equatable>(
  _ one: [Value], _ other: [Value], _ message: String, _ file: StaticString, _ line: UInt
) {
  if !keepsNoRecord {
    XCTAssertTrue(one == other, "\(one) is not \(other) \(message)", file: file, line: line)
  }
}

func XCTAssertEqual(
  _ one: @autoclosure () throws -> [VirtualTimeScheduler.Event],
  _ other: @autoclosure () throws -> [VirtualTimeScheduler.Event],
  _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
) { compare(try! one(), try! other(), message(), file, line) }

func XCTAssertEqual(
  _ one: @autoclosure () throws -> [VirtualTimeScheduler.SchedulerTimeType],
  _ other: @autoclosure () throws -> [VirtualTimeScheduler.SchedulerTimeType],
  _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
) { compare(try! one(), try! other(), message(), file, line) }

extension XCTest {
  /// The run loop that waits for the child needs the real clock.
  func assertCrashes(within block: () throws -> Void) rethrows {
    let time = virtual_clock_get()
    if usesLoop { virtual_clock_end() }
    defer {
      if usesLoop {
        virtual_clock_begin()
        virtual_clock_set(time)
      }
    }
    try own_assertCrashes(within: block)
  }
}

extension VirtualTimeScheduler {
  func rewind(to time: SchedulerTimeType) {
    guard usesLoop else { return own_rewind(to: time) }
    if time > _now { runAll(until: time.time) }
    own_rewind(to: time)
    virtual_clock_set(time.time)
  }

  func executeScheduledActions(until deadline: SchedulerTimeType? = nil) {
    if usesLoop { runAll(until: deadline?.time) } else { own_executeScheduledActions(until: deadline) }
  }

  /// Does the actions of this scheduler, and fires the loop's timers, in the order of their times. A nanosecond of the
  /// scheduler's is a millisecond of the loop's.
  private func runAll(until deadline: UInt64?) {
    while let loop = EventLoop.current {
      for _ in 0..<3 { _ = try? loop.runNoWait() }
      // A loop with nothing to do has no timeout.
      let timer =
        loop.isAlive ? loop.backendTimeout.map { virtual_clock_get() + UInt64($0 / .milliseconds(1)) } : nil
      let action = workQueue.min()?.0.time
      guard let next = [timer, action].compactMap({ $0 }).min(), next <= deadline ?? .max else { break }
      virtual_clock_set(next)
      _now = max(.nanoseconds(Int(next)), _now)
      if action == next, let (_, work) = workQueue.min() {
        workQueue.extractMin()
        work()
      }
    }
  }
}

#if OWN
// What the tests send from is a publisher of the loop: `map`, `flatMap`, `receive(on:)` and `sink` are the module's.
extension CustomPublisherBase: LoopPublisher {}
extension PassthroughSubject: @retroactive LoopPublisher {}

/// A name that another file of theirs has, which isn't in this module.
typealias ResultPublisher<Success, Failure: Error> = Result<Success, Failure>.Publisher

typealias VirtualStride = VirtualTimeScheduler.SchedulerTimeType.Stride
extension VirtualStride {
  fileprivate var onLoop: EventLoop.SchedulerTimeType.Stride { .milliseconds(Int(magnitude)) }
}

extension Publisher {
  func delay(
    for interval: VirtualStride, tolerance: VirtualStride? = nil, scheduler: VirtualTimeScheduler,
    options: VirtualTimeScheduler.SchedulerOptions? = nil
  ) -> LoopPublishers.Delay<Self> { delay(for: interval.onLoop, scheduler: EventLoop.forTests) }

  func debounce(
    for dueTime: VirtualStride, scheduler: VirtualTimeScheduler,
    options: VirtualTimeScheduler.SchedulerOptions? = nil
  ) -> LoopPublishers.Debounce<Self> { debounce(for: dueTime.onLoop, scheduler: EventLoop.forTests) }

  func throttle(
    for interval: VirtualStride, scheduler: VirtualTimeScheduler, latest: Bool
  ) -> LoopPublishers.Throttle<Self> {
    throttle(for: interval.onLoop, scheduler: EventLoop.forTests, latest: latest)
  }

  func timeout(
    _ interval: VirtualStride, scheduler: VirtualTimeScheduler,
    options: VirtualTimeScheduler.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> LoopPublishers.Timeout<Self> {
    timeout(interval.onLoop, scheduler: EventLoop.forTests, customError: customError)
  }
}
#endif
