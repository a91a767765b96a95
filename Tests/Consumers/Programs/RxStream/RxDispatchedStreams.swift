// The values of a stream are parsed on a queue, in their order, and shown on the loop; what nobody holds persists.
import UV
import UVRxStream

private struct Unreadable: Error {}

enum RxDispatchedStreams: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      let lines = HotInput<String, Unreadable>().persist()
      var unreadable = 0
      lines
        .dispatch(.async(on: .background)).resultMap { line in
          Int(line).map { .success($0) } ?? .failure(Unreadable())
        }
        .onError { _ in unreadable += 1 }
        .dispatch(.async(on: .background)).map { $0 > 10 ? nil : $0 * 10 }
        .on { print($0, loop.executor.isOnLoop) }
        .dispatch(.async(on: .background)).on { [executor = loop.executor] _ in assert(!executor.isOnLoop) }
        .onTerminate { print($0, unreadable) }
      for line in ["1", "2", "x", "11", "4"] { lines.push(line) }
      lines.terminate()
    }
    EventLoop.runCallbacks { loop in
      func later() -> Future<Int, Never> { FutureInput<Int, Never>().persist() }
      let answer = later()
      answer.on { print("answer", $0) }
      loop.queueMicrotask { (answer as? FutureInput<Int, Never>)?.complete(42) }
    }
  }
}

// Prints:
// 10 true
// 20 true
// 40 true
// completed 1
// answer 42
