// Promises and guarantees of functions whose completion handlers are called by other threads, as their types say.
import Dispatch
import UV
import UVPromises

private func fetch(fails: Bool = false, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) {
  DispatchQueue.global().async { fails ? completion(nil, PMKError.badInput) : completion(42, nil) }
}

private func load(completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
  DispatchQueue.global().async { completion(.success("loaded")) }
}

enum PromisesOfCompletionHandlers: Program {
  static func main() throws {
    try EventLoop.run { _ in
      print(try await Promise<Int> { seal in fetch { seal.resolve($0, $1) } }.async())
      print(try await Promise<String> { seal in load { seal.resolve($0) } }.async())
      let failed = Promise<Int> { seal in fetch(fails: true) { seal.resolve($0, $1) } }
      do { print(try await failed.async()) } catch { print("failed") }

      print(await Guarantee<Int> { seal in fetch { number, _ in seal(number ?? 0) } }.async())
      let (guarantee, resolve) = Guarantee<Int>.pending()
      fetch { number, _ in resolve(number ?? 0) }
      print(await guarantee.async())
      let (promise, fulfill, reject) = Promise<Int>.withResolvers()
      fetch { number, error in
        if let number { fulfill(number) } else if let error { reject(error) }
      }
      print(try await promise.async())
    }
  }
}

// Prints:
// 42
// loaded
// failed
// 42
// 42
// 42
