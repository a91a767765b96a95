internal import CNodeAPI
import UV

/// A promise of JavaScript that Swift settles once, from a callback of the loop.
final class NodePromise {
  let instance: NodeInstance
  private var deferred: napi_deferred?

  /// Makes a promise.
  ///
  /// - Returns: What settles the promise, and the promise itself.
  static func make(_ instance: NodeInstance) throws(NodeError) -> (NodePromise, NodeValue) {
    var deferred: napi_deferred?
    let value = try instance.make { napi_create_promise(instance.environment, &deferred, $0) }
    return (NodePromise(instance, deferred), value)
  }

  private init(_ instance: NodeInstance, _ deferred: napi_deferred?) {
    self.instance = instance
    self.deferred = deferred
  }

  /// Fulfills the promise with what `value` returns, or rejects it with what it throws. Does nothing the
  /// second time, and once the environment has ended.
  func settle(_ value: () throws -> NodeValue) {
    guard let deferred = deferred.take() else { return }
    try? instance.enter {
      let environment = instance.environment
      do { napi_resolve_deferred(environment, deferred, try value().raw) } catch {
        napi_reject_deferred(environment, deferred, try instance.value(of: error).raw)
      }
    }
  }
}

extension NodePromise {
  /// A promise that is fulfilled already, for a function that JavaScript has called.
  static func fulfilled(_ instance: NodeInstance, _ value: some NodeEncodable) throws(NodeError) -> NodeValue
  {
    let (promise, result) = try make(instance)
    let value = try instance.encode(value)
    try instance.check(napi_resolve_deferred(instance.environment, promise.deferred.take(), value.raw))
    return result
  }
}

extension NodeCall {
  /// Runs `body` as a task, and returns a promise of its value. Called once the arguments have been taken.
  mutating func promise<R: NodeEncodable>(
    _ body: nonisolated(nonsending) @escaping () async throws -> R
  ) throws -> NodeValue {
    let signal = try nextSignal()
    let (promise, value) = try NodePromise.make(instance)
    if let signal, try signal.get("aborted").decode(Bool.self) {
      let reason = try NodeException(signal.get("reason"))
      // Not from here, because a promise that has a handler too late is reported.
      instance.loop.queueMicrotask { promise.settle { throw NodeError.thrown(reason) } }
      return value
    }
    let abortion = try signal.map { try NodeAbortion($0) }
    let instance = instance
    let task = instance.loop.spawn {
      do {
        let value = try await body()
        promise.settle {
          abortion?.end()
          return try instance.encode(value)
        }
      } catch {
        promise.settle {
          abortion?.end()
          throw abortion?.reason.map { NodeError.thrown($0) } ?? error
        }
      }
    }
    abortion?.task = task
    return value
  }

  /// The same for a body without a value.
  mutating func promise(_ body: nonisolated(nonsending) @escaping () async throws -> Void) throws -> NodeValue
  {
    try promise { () async throws -> Bool? in
      try await body()
      return nil
    }
  }

  /// The property `signal` of the next argument, if that is an object with an `AbortSignal`.
  private mutating func nextSignal() throws -> NodeValue? {
    guard let options = nextValue(), options.type == napi_object else { return nil }
    let signal = try options.get("signal")
    if signal.isNothing { return nil }
    guard try signal.type == napi_object && signal.get("addEventListener").type == napi_function else {
      throw NodeError.wrongType(expected: "an AbortSignal as the property 'signal'")
    }
    return signal
  }
}

/// Cancels a task when an `AbortSignal` aborts.
private final class NodeAbortion {
  var task: LoopTask<Void, Never>?
  /// Why the signal was aborted; nil if it wasn't.
  private(set) var reason: NodeException?
  private let signal: NodeReference
  private var listener: NodeReference?

  init(_ signal: NodeValue) throws {
    self.signal = try NodeReference(signal)
    let function = try signal.instance.makeFunction("onabort") { [weak self] call in
      self?.abort()
      return try call.instance.undefined()
    }
    listener = try NodeReference(function)
    _ = try signal.call("addEventListener", [signal.instance.encode("abort"), function])
  }

  private func abort() {
    reason = try? NodeException(signal.value.get("reason"))
    task?.cancel()
  }

  /// Takes the listener away from the signal, which may live on. Called where JavaScript may be.
  func end() {
    task = nil
    guard let listener = listener.take(), let signal = try? signal.value else { return }
    _ = try? signal.call("removeEventListener", [signal.instance.encode("abort"), listener.value])
  }
}
