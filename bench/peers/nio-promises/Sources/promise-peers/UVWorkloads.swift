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

  @inline(__always)
  private static func repeatOnLoop(_ count: Int, _ operation: @escaping () -> Promise<Int>) {
    EventLoop.runCallbacks { (_: EventLoop) throws(Never) in
      var left = count
      func next() {
        guard left > 0 else { return }
        left -= 1
        operation().pipe { _ in next() }
      }
      next()
    }
  }
}
