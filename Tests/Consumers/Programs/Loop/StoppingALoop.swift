// `stop()` cancels the tasks and ends the run, whatever else is pending; the executor does so from any thread.
import Dispatch
import UV

enum StoppingALoop: Program {
  static func main() throws {
    EventLoop.run { loop in
      loop.spawn {
        do {
          try await loop.sleep(for: .seconds(3600)).value
        } catch {
          print("cancelled: \(error.isCancelled)", Task.isCancelled)
        }
      }
      loop.sleep(for: .seconds(3600)) { result in
        if case .failure(let error) = result { print("callback: \(error.name)") }
      }
      try? await loop.sleep(for: .milliseconds(2)).value
      loop.stop()
    }
    print("first")

    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { executor.stop() }
      loop.sleep(for: .seconds(3600)) { _ in }
    }
    print("second")
  }
}

// Prints:
// cancelled: true true
// callback: ECANCELED
// first
// second
