// A future of an asynchronous closure outside any loop stops the program with a sentence.
import UV
import UVFutures

enum FutureOutsideALoop: Program {
  static func main() throws {
    let future = Future<Int, Never> { 5 }
    future.sink { print($0) }.cancel()
  }
}

// Stops:
// needs an event loop: do it inside EventLoop.run
