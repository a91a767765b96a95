// A lazy future runs when somebody wants it; others run their work where `Dispatch` says, and come back.
import UV
import UVRxStream

enum LazyAndDispatched: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      let lazy = Lazy<Int, Never> { promise in
        print("the work begins")
        promise(.success(1))
      }
      loop.sleep(for: .milliseconds(1)) { _ in
        print("nobody has asked yet")
        lazy.on { print("lazy \($0)") }
      }
      let never = Lazy<Int, Never> { _ in print("never") }
      _ = never
    }
    let queue = CustomQueue("of my own")
    for dispatch in [
      Dispatch.inline, .async(on: .background), .async(on: .custom(queue)), .newThread,
      .after(delay: .milliseconds(1), on: .priorityBackground(.high)), .sync(on: .custom(queue)),
    ] {
      EventLoop.runCallbacks { loop in
        let executor = loop.executor
        Future<Bool, Never>(dispatch: dispatch) { resolver in resolver(.success(executor.isOnLoop)) }
          .on { print("worked on the loop: \($0), heard there: \(executor.isOnLoop)") }
      }
    }
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      Lazy<Int, Never>(dispatch: .async(on: .priorityBackground(.low))) { $0(.success(2)) }
        .dispatch(.async(on: .custom(queue)))
        .map { number in executor.isOnLoop || !queue.isCurrent ? nil : number + 1 }
        .dispatch(.async(on: .priorityBackground(.background)))
        .resultMap { .success($0 + 1) }
        .dispatch(.inline)
        .on { print("dispatched \($0)") }
    }
    print(queue.isCurrent)
  }
}

// Prints:
// nobody has asked yet
// the work begins
// lazy 1
// worked on the loop: true, heard there: true
// worked on the loop: false, heard there: true
// worked on the loop: false, heard there: true
// worked on the loop: false, heard there: true
// worked on the loop: false, heard there: true
// worked on the loop: true, heard there: true
// dispatched 4
// false
