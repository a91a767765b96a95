// Long work that tells how far it has come, mapped and combined, and cancelled.
import UV
import UVRxStream

enum RxProgress: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      let input = ProgressionInput<Int, String, Never>()
      input
        .mapProgress { event in
          ProgressEvent(title: event.title, unit: "%", current: event.current * 100 / event.total, total: 100)
        }
        .onProgress { print("\($0.title) \($0.current) \($0.unit)") }
        .on { print("done: \($0)") }
      input.updateProgress(ProgressEvent(title: "copy", unit: "bytes", current: 1, total: 4))
      input.updateProgress(ProgressEvent(title: "copy", unit: "bytes", current: 3, total: 4))
      input.complete("copied")

      let copy = Progression<Double, Int, UVError> { progress, completion in
        progress(ProgressEvent(title: "never heard", unit: "", current: 0, total: 1))
        let timer = loop.sleep(for: .seconds(3600)) { _ in completion(.success(1)) }
        return {
          timer.cancel()
          print("the work is cancelled")
        }
      }
      let other = ProgressionInput<Double, Int, UVError>()
      let both: Progression<Double, Int, UVError> = copy.combineProgress(other) { mine, others in
        ProgressEvent(
          title: "both", unit: "", current: (mine?.current ?? 0) + (others?.current ?? 0),
          total: (mine?.total ?? 0) + (others?.total ?? 0))
      }
      both.onProgress { print("\($0.title): \($0.current) of \($0.total)") }
        .onTerminate { print("cancelled: \($0 == .cancelled)") }
      other.updateProgress(ProgressEvent(title: "other", unit: "", current: 2, total: 3))
      both.cancel()
      other.onError { print("failed: \($0.name)") }
      other.complete(UVError(.busy, operation: "other"))
    }
  }
}

// Prints:
// copy 25 %
// copy 75 %
// done: copied
// both: 2.0 of 3.0
// cancelled: true
// the work is cancelled
// failed: EBUSY
