// Promises around callbacks: every form of `resolve`, `pending`, `withResolvers`, guarantees.
import UV
import UVPromises

enum SealedByCallbacks: Program {
  struct Refused: Error {}

  static func legacy(_ loop: EventLoop, fails: Bool, _ done: @escaping (String?, (any Error)?) -> Void) {
    loop.queueMicrotask { fails ? done(nil, Refused()) : done("text", nil) }
  }

  static func after(_ loop: EventLoop, _ value: Int, completion: @escaping (Int) -> Void) {
    loop.queueMicrotask { completion(value) }
  }

  static func fail(_ loop: EventLoop, completion: @escaping (any Error) -> Void) {
    loop.queueMicrotask { completion(Refused()) }
  }

  static func finish(_ loop: EventLoop, completion: @escaping () -> Void) {
    loop.queueMicrotask { completion() }
  }

  static func show<T>(_ promise: Promise<T>) async {
    do {
      print(try await promise.async())
    } catch {
      print("refused: \(error is Refused)")
    }
  }

  static func main() throws {
    EventLoop.run { loop in
      await show(Promise<String> { legacy(loop, fails: false, $0.resolve) })
      await show(Promise { seal in legacy(loop, fails: true) { seal.resolve($1, $0) } })
      await show(
        Promise<Int> { seal in loop.queueMicrotask { seal.resolve(Result<Int, any Error>.success(5)) } })
      await show(Promise<Int> { seal in seal.resolve(PMKResult.fulfilled(6)) })
      await show(Promise<Void> { seal in loop.queueMicrotask { seal.fulfill() } })
      await show(Promise<Void> { seal in loop.queueMicrotask { seal.resolve(Refused()) } })
      await show(Promise<Void> { seal in loop.queueMicrotask(seal.fulfill_) })
      await show(Promise<Int> { seal in loop.queueMicrotask { seal.resolve(6, Refused() as any Error) } })
      await show(Promise<Int> { seal in throw Refused() })
      // As completion handlers, which return nothing.
      await show(Promise<Int> { seal in after(loop, 11, completion: seal.fulfill) })
      await show(Promise<Int> { seal in fail(loop, completion: seal.reject) })
      await show(Promise<Void> { seal in finish(loop, completion: seal.fulfill) })

      let (promise, resolver) = Promise<String>.pending()
      print(promise.isPending, promise.isResolved, promise.result == nil)
      resolver.fulfill("pending")
      resolver.reject(Refused())
      print(promise.isFulfilled, promise.isRejected, promise.value ?? "-", promise.error == nil)
      await show(promise)
      let (second, resolve, _) = Promise<Int>.withResolvers()
      resolve(7)
      await show(second)
      second.pipe { result in
        switch result {
        case .fulfilled(let value): print("piped \(value)")
        case .rejected(let error): print(error)
        }
      }

      let (guarantee, seal) = Guarantee<Int>.pending()
      seal(8)
      print(await guarantee.get { print($0) }.map { $0 + 1 }.then { Guarantee.value($0) }.async())
      print(await Guarantee { $0("from a closure") }.async())
      await show(Promise(Guarantee.value(10)))
    }
  }
}

// Prints:
// text
// refused: true
// 5
// 6
// ()
// refused: true
// ()
// refused: true
// refused: true
// 11
// refused: true
// ()
// true false true
// true false pending true
// pending
// 7
// piped 7
// 8
// 9
// from a closure
// 10
