// Functions whose parameters say where work is done, with their types written out.
import Dispatch
import UV
import UVRxStream

private func start(_ queue: Dispatch.Queue, _ priority: Dispatch.Queue.Priority) -> DispatchChain {
  Dispatch.sync(on: queue).execute {}.then(.sync(on: .priorityBackground(priority))) { print("worked") }
}

private func moved(_ future: Future<Int, Never>) -> Dispatched<Int, Never> {
  future.dispatch(.async(on: .background))
}

private func finish(_ resolver: FutureResolver<Int, Never>) { resolver(.success(3)) }

enum DispatchWrittenOut: Program {
  static func main() throws {
    try EventLoop.run { _ in
      let third = Future<Int, Never>(dispatch: .inline) { finish($0) }
      print(try await moved(third).map { $0 * 10 }.value)
    }
    _ = start(.background, .low)
    let chain = start(.background, .high)
    chain.then(.sync(on: .background)) { print("after that") }
  }
}

// Prints:
// 30
// worked
// worked
// after that
