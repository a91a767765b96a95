import Dispatch
import UV

/// The main queue, for handlers of the main actor: `done(on: .main) { self.name = $0 }` in a `@MainActor`
/// class.
///
/// Such a handler runs on the main thread, and may use what the main actor may. The main queue is served
/// while a loop runs on the main thread, too. Handlers that return a promise or guarantee, and those of
/// sequences, run there as well, but are `@Sendable` as on any other queue: they can't use the main actor's
/// state without an `await`.
public struct MainQueue: Dispatcher {
  private init() {}

  /// The main queue.
  public static let main = MainQueue()

  /// Runs `body` on the main queue.
  public func dispatch(_ body: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: body) }
}

/// Runs a handler of the main actor, on the main queue.
///
/// A promise that it makes has no loop, unless the main thread has one: closures within it are the main
/// actor's, too, and must not run on the thread of another loop.
private func onMainActor<Output: Sendable>(_ body: @MainActor () throws -> Output) rethrows -> Output {
  try LoopBatch.without { try MainActor.assumeIsolated(body) }
}

extension Dispatcher where Self == MainQueue {
  /// The main queue. It is served while a loop runs on the main thread, too.
  public static var main: MainQueue { .main }
}

extension Thenable where T: Sendable {
  /// Calls `body` on the main actor; see ``map(on:file:line:_:)``.
  public func map<U: Sendable>(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (T) throws -> U
  ) -> Promise<U> {
    map(on: DispatchQueue.main, file: file, line: line) { value in try onMainActor { try body(value) } }
  }

  /// Calls `body` on the main actor; see ``compactMap(on:file:line:_:)``.
  public func compactMap<U: Sendable>(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (T) throws -> U?
  ) -> Promise<U> {
    compactMap(on: DispatchQueue.main, file: file, line: line) { value in try onMainActor { try body(value) }
    }
  }

  /// Calls `body` on the main actor; see ``done(on:file:line:_:)``.
  public func done(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (T) throws -> Void
  ) -> Promise<Void> {
    done(on: DispatchQueue.main, file: file, line: line) { value in try onMainActor { try body(value) } }
  }

  /// Calls `body` on the main actor; see ``get(on:file:line:_:)``.
  public func get(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (T) throws -> Void
  ) -> Promise<T> {
    get(on: DispatchQueue.main, file: file, line: line) { value in try onMainActor { try body(value) } }
  }

  /// Calls `body` on the main actor; see ``tap(on:file:line:_:)``.
  public func tap(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (PMKResult<T>) -> Void
  ) -> Promise<T> {
    tap(on: DispatchQueue.main, file: file, line: line) { result in onMainActor { body(result) } }
  }
}

extension CatchMixin where T: Sendable {
  /// Calls `body` on the main actor with the error; see ``catch(on:policy:file:line:_:)``.
  @discardableResult
  public func `catch`(
    on queue: MainQueue, policy: CatchPolicy = conf.catchPolicy,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @MainActor (any Error) -> Void
  ) -> PMKFinalizer {
    self.catch(on: DispatchQueue.main, policy: policy, file: file, line: line) { error in
      onMainActor { body(error) }
    }
  }

  /// Calls `body` on the main actor in any case; see ``ensure(on:file:line:_:)``.
  public func ensure(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor () -> Void
  ) -> Promise<T> {
    ensure(on: DispatchQueue.main, file: file, line: line) { onMainActor(body) }
  }
}

extension PMKFinalizer {
  /// Calls `body` on the main actor when the chain has ended; see ``finally(on:_:)-(LoopDispatcher?,_)``.
  @discardableResult
  public func finally(on queue: MainQueue, _ body: @escaping @MainActor () -> Void) -> CancelContext {
    finally(on: DispatchQueue.main) { onMainActor(body) }
  }
}

extension Guarantee where T: Sendable {
  /// Calls `body` on the main actor; see ``map(on:file:line:_:)``.
  public func map<U: Sendable>(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (T) -> U
  ) -> Guarantee<U> {
    map(on: DispatchQueue.main, file: file, line: line) { value in onMainActor { body(value) } }
  }

  /// Calls `body` on the main actor; see ``done(on:file:line:_:)``.
  @discardableResult
  public func done(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (T) -> Void
  ) -> Guarantee<Void> {
    done(on: DispatchQueue.main, file: file, line: line) { value in onMainActor { body(value) } }
  }

  /// Calls `body` on the main actor; see ``get(on:file:line:_:)``.
  public func get(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (T) -> Void
  ) -> Guarantee<T> {
    get(on: DispatchQueue.main, file: file, line: line) { value in onMainActor { body(value) } }
  }
}

extension CatchMixin where T == Void {
  /// Calls `body` on the main actor with the error, cancellations included, and goes on without one; see
  /// ``recover(on:file:line:_:)``.
  @discardableResult
  public func recover(
    on queue: MainQueue, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (any Error) -> Void
  ) -> Guarantee<Void> {
    recover(on: DispatchQueue.main, file: file, line: line) { error in onMainActor { body(error) } }
  }
}
