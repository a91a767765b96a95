// The module `Rx`, for RxStream's tests: the streams of UVRxStream with errors of any type, on a loop beside XCTest. What is here has
// other labels, seconds for durations, or closures that aren't `Sendable`; MigratingFromRxStream.md says so of each.
import BesideXCTest
import Foundation
import UV
@_exported import UVRxStream

// MARK: Types whose failure is any error

package typealias Future<T> = UVRxStream.Future<T, any Error>
package typealias FutureInput<T> = UVRxStream.FutureInput<T, any Error>
package typealias Lazy<T> = UVRxStream.Lazy<T, any Error>
package typealias Promise<T> = UVRxStream.StreamPromise<T, any Error>
package typealias Progression<Unit, T> = UVRxStream.Progression<Unit, T, any Error>
package typealias ProgressionInput<Unit, T> = UVRxStream.ProgressionInput<Unit, T, any Error>
package typealias Hot<T> = UVRxStream.Hot<T, any Error>
package typealias HotInput<T> = UVRxStream.HotInput<T, any Error>
package typealias HotProducer<T> = UVRxStream.HotProducer<T, any Error>
package typealias Observable<T> = UVRxStream.Observable<T, any Error>
package typealias ObservableInput<T> = UVRxStream.ObservableInput<T, any Error>
package typealias Cold<Request, T> = UVRxStream.Cold<Request, T, any Error>
package typealias Event<T> = UVRxStream.StreamEvent<T, any Error>
package typealias Termination = UVRxStream.Termination<any Error>
package typealias StreamState = UVRxStream.StreamState<any Error>
package typealias Timer = UVRxStream.StreamTimer
package typealias Queue = UVRxStream.Dispatch.Queue
package typealias Priority = UVRxStream.Dispatch.Queue.Priority
package typealias ExecutionChain = UVRxStream.DispatchChain

// MARK: Types that the standard library has instead

package typealias Result<T> = Swift.Result<T, any Error>

extension Swift.Result where Failure == any Error {
  package func value() throws -> Success { try get() }

  @discardableResult
  package func onSuccess(_ handler: (Success) -> Void) -> Self {
    if case .success(let value) = self { handler(value) }
    return self
  }

  @discardableResult
  package func onFailure(_ handler: (any Error) -> Void) -> Self {
    if case .failure(let error) = self { handler(error) }
    return self
  }
}

/// Two values of which one may be missing, for which there are two optionals.
package enum EitherAnd<Left, Right> { case left(Left), right(Right), both(Left, Right) }

/// A flag by which a task learns that it was cancelled. In its place a task returns a closure.
package final class Box<T> {
  package var value: T
  package init(_ value: T) { self.value = value }
}

extension String {
  static func newUUID() -> String { UUID().uuidString }
}

// MARK: Tasks

extension UVRxStream.StreamPromise where Failure == any Error, Output: Sendable {
  /// The task begins in the loop's next microtask, and so does a retry. RxStream begins both at once, and its tests look then.
  package convenience init(
    task:
      @escaping (
        UVRxStream.Observable<UVRxStream.StreamState<any Error>, Never>,
        @escaping @Sendable (Swift.Result<Output, any Error>) -> Void
      ) -> Void
  ) {
    self.init({ state, completion in
      task(state) {
        completion($0)
        turnHere()
      }
    })
    turn()
  }

  @discardableResult
  package func retryOn(_ handler: @escaping (Int, any Error, @escaping @Sendable (Bool) -> Void) -> Void)
    -> StreamPromise
  {
    retrying(self) { attempt, error, retry in
      handler(attempt, error) {
        retry($0)
        turnHere()
      }
    }
  }
}

/// The module's own `retryOn`, which the one above is more special than.
private func retrying<Output, Failure>(
  _ promise: UVRxStream.StreamPromise<Output, Failure>,
  _ handler: @escaping (Int, Failure, @escaping @Sendable (Bool) -> Void) -> Void
) -> UVRxStream.StreamPromise<Output, Failure> { promise.retryOn(handler) }

/// The loop isn't turned for what another thread does.
private func turnHere() {
  if Thread.isMainThread { turn() }
}

extension UVRxStream.Progression where Failure == any Error {
  package convenience init(
    task:
      @escaping (Box<Bool>, @escaping (Either<ProgressEvent<Unit>, Swift.Result<Output, any Error>>) -> Void)
      -> Void
  ) {
    let isCancelled = Box(false)
    self.init({ (progress, completion) -> (() -> Void)? in
      task(isCancelled) {
        switch $0 {
        case .left(let event): progress(event)
        case .right(let result): completion(result)
        }
      }
      return { isCancelled.value = true }
    })
  }

  @discardableResult
  package func combineProgress<OtherUnit, OtherOutput, NewUnit>(
    stream: UVRxStream.Progression<OtherUnit, OtherOutput, any Error>,
    progressMapper:
      @escaping (EitherAnd<ProgressEvent<Unit>, ProgressEvent<OtherUnit>>) -> ProgressEvent<NewUnit>
  ) -> UVRxStream.Progression<NewUnit, (Output, OtherOutput), any Error> {
    combineProgress(stream) { left, right in
      if let left, let right { return progressMapper(.both(left, right)) }
      return progressMapper(left.map { .left($0) } ?? .right(right!))
    }
  }
}

extension UVRxStream.ProgressionInput {
  package func updateProgress(to event: ProgressEvent<Unit>) { updateProgress(event) }
}

extension UVRxStream.Cold where Failure == any Error {
  package convenience init(task: @escaping (Void, Request, (Swift.Result<Output, any Error>) -> Void) -> Void)
  {
    self.init({ request, answer in task((), request, answer) })
  }
}

// MARK: Joining, and time

extension StreamFuture {
  @discardableResult
  package func timeStamp() -> UVRxStream.Future<(value: Output, stamp: Date), Failure> {
    stamp { _ in Date() }
  }

  @discardableResult
  package func combine<T>(stream: some AnyStream<T, Failure>) -> UVRxStream.Future<(Output, T), Failure> {
    combine(stream)
  }

  @discardableResult
  package func delay(_ seconds: TimeInterval) -> UVRxStream.Future<Output, Failure> {
    delay(.seconds(seconds))
  }
}

extension UVRxStream.Progression {
  @discardableResult
  package func timeStamp() -> UVRxStream.Progression<Unit, (value: Output, stamp: Date), Failure> {
    stamp { _ in Date() }
  }

  @discardableResult
  package func combine<T>(stream: some AnyStream<T, Failure>)
    -> UVRxStream.Progression<Unit, (Output, T), Failure>
  {
    combine(stream)
  }

  @discardableResult
  package func delay(_ seconds: TimeInterval) -> UVRxStream.Progression<Unit, Output, Failure> {
    delay(.seconds(seconds))
  }
}

extension HotStream {
  @discardableResult
  package func timeStamp() -> UVRxStream.Hot<(value: Output, stamp: Date), Failure> { stamp { _ in Date() } }

  @discardableResult
  package func delay(_ seconds: TimeInterval) -> UVRxStream.Hot<Output, Failure> { delay(.seconds(seconds)) }

  @discardableResult
  package func window(size: TimeInterval, limit: Int? = nil) -> UVRxStream.Hot<[Output], Failure> {
    window(size: .seconds(size), limit: limit)
  }
}

extension UVRxStream.Cold {
  @discardableResult
  package func timeStamp() -> UVRxStream.Cold<Request, (value: Output, stamp: Date), Failure> {
    stamp { _ in Date() }
  }

  @discardableResult
  package func delay(_ seconds: TimeInterval) -> UVRxStream.Cold<Request, Output, Failure> {
    delay(.seconds(seconds))
  }

  @discardableResult
  package func window(size: TimeInterval, limit: Int? = nil) -> UVRxStream.Cold<Request, [Output], Failure> {
    window(size: .seconds(size), limit: limit)
  }
}

extension UVRxStream.StreamTimer {
  package convenience init(interval: TimeInterval) { self.init(interval: .seconds(interval)) }

  @discardableResult
  package func restart(withInterval interval: TimeInterval) -> Self {
    restart(withInterval: .seconds(interval))
  }
}

extension TimedThrottle {
  package convenience init(interval: TimeInterval, delayFirst: Bool = false) {
    self.init(interval: .seconds(interval), delayFirst: delayFirst)
  }
}

/// How a test waits. A throttle that is due at the same time has begun before, and so comes first.
package func afterOnLoop(_ seconds: TimeInterval, _ body: @escaping () -> Void) {
  mainLoop.sleep(for: .seconds(seconds)) { _ in body() }
}

// MARK: Work elsewhere

extension Dispatch {
  package static func after(delay: TimeInterval, on queue: Queue) -> Dispatch {
    .after(delay: .seconds(delay), on: queue)
  }

  @_disfavoredOverload @discardableResult
  package func execute(_ work: @escaping () -> Void) -> ExecutionChain { execute(sendable(work)) }
}

extension DispatchChain {
  @_disfavoredOverload @discardableResult
  package func then(_ dispatch: Dispatch, next: @escaping () -> Void) -> ExecutionChain {
    then(dispatch, sendable(next))
  }
}

extension DispatchThread {
  @_disfavoredOverload
  package func enqueue(_ work: @escaping () -> Void) { enqueue(sendable(work)) }
}

/// RxStream has no `Sendable`.
private func sendable(_ work: @escaping () -> Void) -> @Sendable () -> Void {
  nonisolated(unsafe) let work = work
  return { work() }
}
