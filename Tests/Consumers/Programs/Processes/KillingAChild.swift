// A child that does not end is ended by a signal, after a time; one that does not exist is an error.
import UV

enum KillingAChild: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let child = try loop.processes.spawn("/bin/sleep", ["3600"], isDetached: true, stdio: [.ignore])
      do throws(UVError) {
        _ = try await child.exit().timeout(after: .milliseconds(20)).value
      } catch {
        print(error.code == .timedOut)
        try child.kill()
      }
      let status = try await child.exit().value
      print(status.isSuccess, status.signal == .terminate, status.signal?.description ?? "-")
      do throws(UVError) {
        try child.kill(.kill)
      } catch {
        print(error.code == .noSuchProcess)
      }
      do throws(UVError) {
        _ = try loop.processes.spawn("/nowhere/program")
      } catch {
        print(error.code == .noSuchFile)
      }
      print([Signal.hangup, .interrupt, .quit, .profiling].map(\.rawValue))
    }
  }
}

// Prints:
// true
// false true Terminated
// true
// true
// [1, 2, 3, 27]
