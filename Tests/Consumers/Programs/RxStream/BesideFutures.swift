// A file that imports both Combine's vocabulary and RxStream's, and names the module where both have the word.
import UV
import UVFutures
import UVRxStream

private typealias EagerFuture<Value> = UVFutures.Future<Value, UVError>

private func size(_ loop: EventLoop) -> EagerFuture<Int64> {
  EagerFuture { promise in loop.files.stat("/") { promise($0.map { $0.size }) } }
}

private func kind(_ loop: EventLoop) -> UVRxStream.Future<FileType, UVError> {
  loop.files.stat("/").streamFuture().map { $0.type }
}

/// What one vocabulary delivers, as the other one's: the values of another thread come by these, too.
private func both() -> (FutureCompletion<Int, Never>?, FutureResolver<Int, Never>?) { (nil, nil) }

enum BesideFutures: Program {
  static func main() throws {
    try EventLoop.run { loop in
      print(try await size(loop).value >= 0, try await kind(loop).value == .directory)
      let (eager, resolver) = UVFutures.Future<Int, Never>.pending(on: loop)
      UVRxStream.FutureInput<Int, Never>.completed(5).on { resolver(.success($0)) }
      print(await eager.value, both().0 == nil)
    }
  }
}

// Prints:
// true true
// 5 true
