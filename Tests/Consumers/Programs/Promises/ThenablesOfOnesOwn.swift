// Functions that are generic over thenables, and a class whose methods return promises.
import UV
import UVPromises

private func twice<P: Thenable>(_ thenable: P) -> Promise<(P.T, P.T)> {
  thenable.map { ($0, $0) }
}

private func quiet<P: CatchMixin>(_ promise: P) -> Promise<Void> {
  promise.asVoid().recover { _ in }
}

private final class Cache {
  private let loop: EventLoop
  private var sizes: [String: Promise<Int64>] = [:]
  private(set) var misses = 0

  init(_ loop: EventLoop) { self.loop = loop }

  func size(_ path: String) -> Promise<Int64> {
    if let known = sizes[path] { return known }
    misses += 1
    let size = loop.files.stat(path).promise().map(\.size)
    sizes[path] = size
    return size
  }
}

enum ThenablesOfOnesOwn: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      twice(Guarantee.value(1)).done { print($0, $1) }.cauterize()
      twice(Promise.value("a")).done { print($0, $1) }.cauterize()
      let cache = Cache(loop)
      when(fulfilled: cache.size("/"), cache.size("/tmp"), cache.size("/")).done { a, _, b in
        print(a == b, cache.misses)
      }.cauterize().finally {
        quiet(cache.size("/nowhere")).done { print("quiet") }.cauterize()
      }
      let anything: [any Thenable] = [Promise.value(1), Promise.value("b")]
      when(fulfilled: anything).done { print($0) }.cauterize()
      let pending: CancellablePromise<Int> = Promise.value(3)
      print(pending, pending.debugDescription.isEmpty, Guarantee.value(1))
    }
  }
}

// Prints:
// Promise(3) false Guarantee(1)
// [1, "b"]
// 1 1
// a a
// true 2
// quiet
