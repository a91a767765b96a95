import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: `bench_mix(seed + i)` through `bench_step_one`, `_two`, `_three`, each a continuation of the one before. Under way:
  /// `in-flight` chains; when one ends, the next begins. Checked: what comes out.
  ///
  /// `then-chain` in C: a first-in first-out queue of deferred calls, drained like microtasks with at most 1024 calls per turn of the loop.
  /// A style uses its own continuation: the loop's deferred callback, `then`/`map`, a publisher's `map`, or `await` of an asynchronous
  /// function; where a style never defers, that is its merit.
  static let thenChain = LoopWorkload(
    name: "then-chain", summary: "three transformations of a value, without I/O",
    note: "C calls three functions in a row: the ratio shows a style's own cost, with no work beside it",
    parameters: [inFlight(64)],
    check: .chain,
    rows: ThenChain.rows(beside: "then-chain"))
}

/// `then-chain`: three transformations of a value, each a continuation of the one before.
enum ThenChain: LoopRows {
  static let callback = LoopOperations.callbacks { operations, task, loop in
    let chains = Chains(operations, task, loop)
    for _ in 0..<task.inFlight { chains.nextOfCallbacks() }
  }

  static let promise = LoopOperations.callbacks { operations, task, loop in
    let chains = Chains(operations, task, loop)
    for _ in 0..<task.inFlight { chains.nextOfPromises() }
  }

  static let future = LoopOperations.callbacks { operations, task, _ in
    operations.isSampled = true
    let seed = task.seed
    operations.subscription = (0..<task.operations).publisher
      .flatMap(maxPublishers: .max(task.inFlight)) { index in
        let chain = operations.begin(index)
        let value = bench_mix(seed &+ UInt64(index))
        return Future<UInt64, Never> { promise in promise(.success(value)) }
          .map { bench_step_one($0) }
          .map { bench_step_two($0) }
          .map { operations.end(chain, bench_step_three($0)) }
      }
      .sink(receiveCompletion: { _ in }, receiveValue: {})
  }

  static let async = LoopOperations.task { operations, task, loop in
    operations.isSampled = true
    let seed = task.seed
    for _ in 0..<task.inFlight {
      loop.spawn {
        while let chain = operations.next() {
          let one = await stepOne(bench_mix(seed &+ UInt64(chain.index)))
          let two = await stepTwo(one)
          operations.end(chain, await stepThree(two))
        }
      }
    }
  }

  // Not inlined: each is to be the call of an asynchronous function that it stands for.
  @inline(never)
  private static func stepOne(_ value: UInt64) async -> UInt64 { bench_step_one(value) }

  @inline(never)
  private static func stepTwo(_ value: UInt64) async -> UInt64 { bench_step_two(value) }

  @inline(never)
  private static func stepThree(_ value: UInt64) async -> UInt64 { bench_step_three(value) }
}

/// The chains of callbacks and of promises: when one ends, the next begins. One object, as `struct chains` is in C, so that a
/// step holds one reference beside its values.
private final class Chains {
  private let operations: LoopOperations
  private let loop: EventLoop
  private let seed: UInt64

  init(_ operations: LoopOperations, _ task: LoopTask, _ loop: EventLoop) {
    operations.isSampled = true
    (self.operations, self.loop, seed) = (operations, loop, task.seed)
  }

  func nextOfCallbacks() {
    guard let chain = operations.next() else { return }
    let value = bench_mix(seed &+ UInt64(chain.index))
    loop.queueMicrotask { [self] in
      let one = bench_step_one(value)
      loop.queueMicrotask { [self] in
        let two = bench_step_two(one)
        loop.queueMicrotask { [self] in
          operations.end(chain, bench_step_three(two))
          nextOfCallbacks()
        }
      }
    }
  }

  func nextOfPromises() {
    guard let chain = operations.next() else { return }
    Guarantee.value(bench_mix(seed &+ UInt64(chain.index)))
      .map { bench_step_one($0) }
      .map { bench_step_two($0) }
      .done { [self] two in
        operations.end(chain, bench_step_three(two))
        nextOfPromises()
      }
  }
}
