import UV
import UVPromises

/// The workloads with this library's promises. Each operation runs to its end on a running loop: the next begins in
/// the handler of the one before.
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
      let end = promise.then { Promise.value($0 + 1) }.then { Promise.value($0 + 1) }.then { Promise.value($0 + 1) }
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

  /// Runs the operations in batches, each a microtask, so that as many are under way as a busy server has.
  @inline(__always)
  private static func repeatOnLoop(_ count: Int, _ operation: @escaping () -> Promise<Int>) {
    UV.EventLoop.runCallbacks { (loop: UV.EventLoop) throws(Never) in
      let total = Total()
      var left = count
      func batch() {
        for _ in 0..<min(left, batchSize) { operation().pipe { total.add($0.value!) } }
        left -= batchSize
        if left > 0 { loop.queueMicrotask(batch) } else { loop.queueMicrotask { precondition(total.sum != 0) } }
      }
      batch()
    }
  }
}

let batchSize = 64

/// Makes sure that the work has been done.
final class Total {
  var sum = 0
  func add(_ value: Int) { sum &+= value }
}
