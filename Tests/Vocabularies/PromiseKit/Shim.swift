// The module `PromiseKit`, for its tests: the promises of UVPromises, on a loop beside XCTest.
@_exported import BesideXCTest
import Dispatch
@_exported import UVPromises

/// PromiseKit's name for an outcome, which is the standard library's here.
package typealias Result = PMKResult

extension LoopDispatcher {
  /// Where PromiseKit's handlers run unless they name a queue: on the main thread, soon.
  package static var main: LoopDispatcher { .microtask }
}

/// A queue with flags is a dispatcher of one's own, as Migration.md says.
private struct FlaggedQueue: Dispatcher {
  let queue: DispatchQueue, flags: DispatchWorkItemFlags

  func dispatch(_ body: @escaping @Sendable () -> Void) { queue.async(flags: flags, execute: body) }
}

extension Promise where T: Sendable {
  package func done(
    on queue: DispatchQueue, flags: DispatchWorkItemFlags, _ body: @escaping @Sendable (T) throws -> Void
  ) -> Promise<Void> { done(on: FlaggedQueue(queue: queue, flags: flags), body) }
}
