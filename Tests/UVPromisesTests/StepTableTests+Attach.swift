import Dispatch
import UV
import UVPromises

extension StepTableTests {
  /// Attaches a step whose handler calls `body`, and makes the words of its value.
  static func attach(
    _ step: Step, _ place: Place, to promise: Promise<Int>, _ body: @escaping @Sendable () throws -> Void
  ) -> Promise<String> {
    let here: LoopDispatcher? = place == .inline ? nil : .microtask
    let queue = place == .queue ? DispatchQueue.global() : nil
    func words(_ promise: Promise<Int>) -> Promise<String> { promise.map(on: nil) { "\($0)" } }
    func words(_ promise: Promise<Void>) -> Promise<String> { promise.map(on: nil) { "()" } }
    let all = CatchPolicy.allErrors
    // A step of its own, which only those have that need it.
    var void: Promise<Void> { promise.asVoid() }
    let calm: @Sendable () -> Void = { try? body() }
    if let queue {
      switch step {
      case .then:
        return words(
          promise.then(on: queue) { _ -> Promise<Int> in
            try body()
            return .value(2)
          })
      case .map:
        return words(
          promise.map(on: queue) { _ -> Int in
            try body()
            return 2
          })
      case .compactMap:
        return words(
          promise.compactMap(on: queue) { _ -> Int? in
            try body()
            return 2
          })
      case .done: return words(promise.done(on: queue) { _ in try body() })
      case .get, .validate: return words(promise.get(on: queue) { _ in try body() })
      case .tap: return words(promise.tap(on: queue) { _ in calm() })
      case .ensure, .always: return words(promise.ensure(on: queue) { calm() })
      case .ensureThenGuarantee, .ensureThenPromise:
        return words(
          promise.ensureThen(on: queue) { () -> Guarantee<Void> in
            calm()
            return Guarantee()
          })
      case .recover, .recoverAll:
        let policy = step == .recover ? CatchPolicy.allErrorsExceptCancellation : all
        return words(
          promise.recover(on: queue, policy: policy) { _ -> Promise<Int> in
            try body()
            return .value(2)
          })
      case .recoverGuarantee:
        return words(
          Promise(
            promise.recover(on: queue) { _ -> Guarantee<Int> in
              calm()
              return .value(2)
            }))
      case .recoverVoid: return words(void.recover(on: queue) { _ throws -> Void in try body() })
      case .recoverVoidAll:
        return words(void.recover(on: queue, policy: all) { _ throws -> Void in try body() })
      case .recoverVoidGuarantee: return words(Promise(void.recover(on: queue) { _ -> Void in calm() }))
      case .mapError: break
      }
    }
    switch step {
    case .then:
      return words(
        promise.then(on: here) { _ -> Promise<Int> in
          try body()
          return .value(2)
        })
    case .map:
      return words(
        promise.map(on: here) { _ -> Int in
          try body()
          return 2
        })
    case .compactMap:
      return words(
        promise.compactMap(on: here) { _ -> Int? in
          try body()
          return 2
        })
    case .done: return words(promise.done(on: here) { _ in try body() })
    case .get: return words(promise.get(on: here) { _ in try body() })
    case .validate:
      return words(
        promise.validate(on: here) { _ in
          try body()
          return true
        })
    case .tap: return words(promise.tap(on: here) { _ in calm() })
    case .ensure: return words(promise.ensure(on: here) { calm() })
    case .always: return words(promise.always(on: here) { calm() })
    case .ensureThenGuarantee:
      return words(
        promise.ensureThen(on: here) { () -> Guarantee<Void> in
          calm()
          return Guarantee()
        })
    case .ensureThenPromise:
      return words(
        promise.ensureThen(on: here) { () -> Promise<Void> in
          calm()
          return Promise()
        })
    case .recover, .recoverAll:
      let policy = step == .recover ? CatchPolicy.allErrorsExceptCancellation : all
      return words(
        promise.recover(on: here, policy: policy) { _ -> Promise<Int> in
          try body()
          return .value(2)
        })
    case .recoverGuarantee:
      return words(
        Promise(
          promise.recover(on: here) { _ -> Guarantee<Int> in
            calm()
            return .value(2)
          }))
    case .recoverVoid: return words(void.recover(on: here) { _ throws -> Void in try body() })
    case .recoverVoidAll: return words(void.recover(on: here, policy: all) { _ throws -> Void in try body() })
    case .recoverVoidGuarantee: return words(Promise(void.recover(on: here) { _ -> Void in calm() }))
    case .mapError:
      return words(
        promise.mapError(on: here) { _ in
          calm()
          return Boom(number: 3)
        })
    }
  }
}
