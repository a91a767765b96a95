// A loop that is run inside another, or after its end, is an error that says so.
import UV

enum RunWithinARun: Program {
  static func main() throws {
    EventLoop.run { loop in
      do throws(UVError) {
        try EventLoop.run { _ async throws(UVError) in }
      } catch {
        print(error.code == .loopRunning)
      }
    }
    let loop = try EventLoop()
    loop.shutdown()
    do throws(UVError) {
      try loop.run { _ async throws(UVError) in }
    } catch {
      print(error.code == .loopClosed)
    }
    do throws(UVError) {
      _ = try loop.runOnce()
    } catch {
      print(error.code == .loopClosed)
    }
    loop.sleep(for: .zero) { result in
      if case .failure(let error) = result { print("sleep: \(error.code == .loopClosed)") }
    }
    do throws(UVError) {
      try loop.executor.execute { _ in print("never") }
    } catch {
      print(error.code == .loopClosed)
    }
  }
}

// Prints:
// true
// true
// true
// sleep: true
// true
