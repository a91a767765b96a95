import Dispatch

/// Marks the forms of other libraries' functions that return promises: `queue.async(.promise) { … }`.
///
/// PromiseKit's `PMKNamespacer`.
public enum PMKNamespacer: Sendable {
  /// The form that returns a promise.
  case promise
}

extension DispatchQueue {
  /// Runs `body` on the queue; the promise of what it returns is resolved on the loop of the calling thread,
  /// which it keeps running.
  ///
  /// - Parameters:
  ///   - namespacer: Always `.promise`, which distinguishes this function from Dispatch's own.
  ///   - group: A group that the work belongs to, if any.
  ///   - qos: The quality of service of the work.
  ///   - flags: As those of a `DispatchWorkItem`.
  ///   - body: If it throws, the promise is rejected with the error.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  public func async<T: Sendable>(
    _ namespacer: PMKNamespacer, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [], file: StaticString = #fileID, line: UInt = #line,
    execute body: @escaping @Sendable () throws -> T
  ) -> Promise<T> {
    let node = Root(file, line)
    node.settle(on: QueuePart(queue: self, group: group, qos: qos, flags: flags.rawValue), body) {
      $0.fulfill($1)
    }
    return Promise(node: node)
  }

  /// Runs `body`, which cannot fail, on the queue.
  public func async<T: Sendable>(
    _ namespacer: PMKNamespacer, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [], file: StaticString = #fileID, line: UInt = #line,
    execute body: @escaping @Sendable () -> T
  ) -> Guarantee<T> {
    let node = Root(file, line, flags: [.isRoot, .isGuarantee])
    node.settle(on: QueuePart(queue: self, group: group, qos: qos, flags: flags.rawValue), body) {
      $0.fulfill($1)
    }
    return Guarantee(node: node)
  }
}

/// A queue, and how to use it.
struct QueuePart: Dispatcher {
  let queue: DispatchQueue
  var group: DispatchGroup?
  var qos = DispatchQoS.unspecified
  let flags: UInt

  func dispatch(_ body: @escaping @Sendable () -> Void) {
    queue.async(group: group, qos: qos, flags: DispatchWorkItemFlags(rawValue: flags), execute: body)
  }
}
