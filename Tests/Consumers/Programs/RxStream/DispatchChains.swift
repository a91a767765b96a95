// Work on queues, one piece after the other, and what follows is awaited.
import Dispatch
import UVRxStream

enum DispatchChains: Program {
  static func main() throws {
    let done = DispatchSemaphore(value: 0)
    Dispatch.async(on: .background)
      .execute { print("first") }
      .then(.sync(on: .background)) { print("second") }
      .then(.after(delay: .milliseconds(1), on: .priorityBackground(.high))) { print("third") }
      .then(.newThread) { done.signal() }
    done.wait()
    Dispatch.sync(on: .main).execute { print("on the main queue") }
  }
}

// Prints:
// first
// second
// third
// on the main queue
