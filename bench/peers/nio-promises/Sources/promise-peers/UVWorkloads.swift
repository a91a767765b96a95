import UV
import UVPromises

/// The workloads with this library's promises. Each operation runs to its end on a running loop: the next
/// begins in the handler of the one before.
enum UVWorkloads {
  /// A pending promise, three transformations, then its resolution.
  static func mapChain(_ count: Int) {
    repeatOnLoop(count) {
      let (promise, resolver) = Promise<Int>.pending()
      let end = promise.map { $0 + 1 }.map { $0 + 1 }.map { $0 + 1 }
      resolver.fulfill(1)
      return end
    }
  }

  /// A pending promise, three handlers that return promises, then its resolution.
  static func flatMapChain(_ count: Int) {
    repeatOnLoop(count) {
      let (promise, resolver) = Promise<Int>.pending()
      let end = promise.then { Promise.value($0 + 1) }.then { Promise.value($0 + 1) }.then {
        Promise.value($0 + 1)
      }
      resolver.fulfill(1)
      return end
    }
  }

  /// A thousand pending promises gathered, then resolved one by one.
  static func whenOfThousand(_ count: Int) {
    repeatOnLoop(count) {
      var resolvers: [Resolver<Int>] = []
      resolvers.reserveCapacity(1000)
      var promises: [Promise<Int>] = []
      promises.reserveCapacity(1000)
      for _ in 0..<1000 {
        let (promise, resolver) = Promise<Int>.pending()
        promises.append(promise)
        resolvers.append(resolver)
      }
      let end = when(fulfilled: promises)
      for (index, resolver) in resolvers.enumerated() { resolver.fulfill(index) }
      return end.map(on: nil) { $0.count }
    }
  }

  /// Each handler returns the next promise; the time a step and the bytes by which the process has grown.
  static func recursion(of steps: Int) -> (nanoseconds: Double, bytes: Int) {
    let start = processorTime()
    var before = 0
    var after = 0
    UV.EventLoop.runCallbacks { (_: UV.EventLoop) throws(Never) in
      func count(_ number: Int) -> Promise<Int> {
        Promise.value(number).then { number -> Promise<Int> in
          if number == steps / 10 { before = residentMemory() }
          return number == steps ? .value(number) : count(number + 1)
        }
      }
      count(0).pipe { result in
        precondition(result.value == steps)
        after = residentMemory()
      }
    }
    return (Double(processorTime() - start) / Double(steps), after - before)
  }

  /// Runs one operation after the other, each begun by a microtask.
  @inline(__always)
  private static func repeatOnLoop(_ count: Int, _ operation: @escaping () -> Promise<Int>) {
    UV.EventLoop.runCallbacks { (loop: UV.EventLoop) throws(Never) in
      loop._enqueue(Repetition(count, on: loop, operation))
    }
  }
}

/// Begins an operation each time that it is run, as often as asked.
private final class Repetition: _Microtask {
  private let loop: UV.EventLoop
  private var left: Int
  private let operation: () -> Promise<Int>
  private let total = Total()

  init(_ count: Int, on loop: UV.EventLoop, _ operation: @escaping () -> Promise<Int>) {
    left = count
    self.loop = loop
    self.operation = operation
  }

  override func run() {
    guard left > 0 else { return precondition(total.sum != 0) }
    left -= 1
    let total = total
    operation().pipe { total.add($0.value!) }
    loop._enqueue(self)
  }
}

/// Makes sure that the work has been done.
final class Total {
  var sum = 0
  func add(_ value: Int) { sum &+= value }
}
