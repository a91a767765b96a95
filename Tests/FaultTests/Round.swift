import CTestHooks
import Foundation
import UV
import UVTestSupport

/// A workload on a loop of its own, in which one call fails.
final class Round {
  private let workload: Workload
  private let parent: String
  private let fault: FaultTests.Fault?
  private let number: Int
  private let name: String
  private var problems: [String] = []

  /// Whether the call was made, and has failed.
  private(set) var hasFired = false

  /// - Parameters:
  ///   - fault: How it fails; nil for a round without.
  ///   - number: Which call, from 1.
  ///   - name: Of which function; empty for all.
  init(
    _ workload: Workload, _ parent: String, _ fault: FaultTests.Fault? = nil, at number: Int = 0,
    of name: String = ""
  ) {
    self.workload = workload
    self.parent = parent
    self.fault = fault
    self.number = number
    self.name = name
  }

  /// Runs it, and says what does not hold afterwards.
  func run() -> [String] {
    // Short, because a socket's path is.
    let directory = "\(parent)/\(UUID().uuidString.prefix(4))"
    try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let descriptors = openDescriptors()
    let ledger = Ledger()
    if let fault { test_faults_arm(fault.error, fault.layer, number, 1, name) }
    runLoop(directory, ledger)
    if fault != nil { hasFired = test_faults_disarm() > 0 }
    ledger.reapChildren()
    problems += ledger.problems
    if fault == .noDescriptor, name == "accept4" {
      // libuv drops connections then, and its clients see an end.
      problems.removeAll { $0.hasSuffix("came back") }
    }
    if !hasFired || fault!.isHarmless { problems += ledger.unexpectedErrors }
    problems += openDescriptors().filter { descriptors[$0.key] == nil }.map { "left open: \($0.value)" }
    return problems
  }

  private func runLoop(_ directory: String, _ ledger: Ledger) {
    do throws(UVError) {
      let loop = try EventLoop()
      loop.runCallbacks { loop in
        guardAgainstHanging(loop)
        workload.start(loop, directory, ledger)
      }
      let activity = loop.statistics
      // The guard is the one handle left.
      if activity.handles > 1 || activity.requests + activity.timers + activity.tasks > 0 {
        problems.append("left on the loop: \(activity)")
      }
      loop.shutdown()
      if !loop.statistics.isIdle { problems.append("left after the shutdown: \(loop.statistics)") }
    } catch {
      // No loop could be made, and the error says so.
      if fault == nil { problems.append("no loop: \(error)") }
    }
  }

  /// A run that does not end is stopped after half a minute, and said to hang.
  private func guardAgainstHanging(_ loop: EventLoop) {
    let timer = try? LoopTimer(loop)
    try? timer?.start(after: .seconds(30)) { [self] in
      problems.append("it hangs")
      loop.stop()
    }
    timer?.keepsLoopRunning = false
  }
}
