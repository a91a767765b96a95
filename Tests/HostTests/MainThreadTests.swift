#if Everything && os(Linux)
import CTestHooks
import CUV
import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

/// Loops on the first thread of a process, which serve the main queue.
///
/// No test runs on that thread. So each of these is a program, in which this one calls `testOnMainThread` before its `main`.
@Suite struct MainThreadTests {
  enum Scenario: String, CaseIterable {
    case mainQueue, rest, refusal, adopters, adoptersInTurn

    fileprivate func make() throws {
      must(cuv_is_main_thread() != 0, "it is the first thread")
      switch self {
      case .mainQueue: MainThreadTests.serveMainQueue()
      case .rest: try MainThreadTests.sleepAfterwards()
      case .refusal: MainThreadTests.beRefused()
      case .adopters, .adoptersInTurn: try MainThreadTests.adopt(lastLeavesFirst: self == .adopters)
      }
    }
  }

  @Test(
    "A loop of the first thread serves the main queue, and so does the one that is left of several",
    arguments: Scenario.allCases)
  func scenario(_ scenario: Scenario) throws {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let (output, status) = try runProgram(
      URL(fileURLWithPath: "/usr/bin/env"), ["TEST_ON_MAIN_THREAD=\(scenario.rawValue)", program],
      in: FileManager.default.temporaryDirectory)
    #expect(status == 0 && output.hasSuffix("all is well\n"), "\(scenario): \(status), \(output)")
  }

  private static func serveMainQueue() {
    let log = Log<String>()
    EventLoop.run { loop in
      await MainActor.run { log.append("actor") }
      await Task { @MainActor in log.append("task") }.value
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async {
          log.append("queue")
          continuation.resume()
        }
      }
      for _ in 0..<100 { await MainActor.run {} }
    }
    must(log.values == ["actor", "task", "queue"], "\(log.values)")
  }

  private static func sleepAfterwards() throws {
    try EventLoop.run { loop in
      await MainActor.run {}
      let turns = try await loop.turns(in: .milliseconds(100))
      must(turns < 20, "the loop sleeps, and doesn't have \(turns) turns")
    }
  }

  private static func beRefused() {
    guard test_faults_reach(Int32(TEST_FAULT_LIBUV.rawValue)) != 0 else { return }
    // Of the descriptor that wakes the loop, and of the main queue's.
    for number in 1...2 {
      test_faults_arm(ENOMEM, Int32(TEST_FAULT_LIBUV.rawValue), number, 1, "uv_poll_init")
      do throws(UVError) {
        try EventLoop().shutdown()
        must(false, "a loop whose poll \(number) is refused")
      } catch { must(error.code == .outOfMemory, "\(error)") }
      must(test_faults_disarm() == 1, "poll \(number) is refused")
    }
    serveMainQueue()
  }

  private static func adopt(lastLeavesFirst: Bool) throws {
    let (host, log) = (Host(), Log<String>())
    let loops = [try EventLoop(adopting: host.loop), try EventLoop(adopting: host.loop)]
    func serve(_ numbers: [Int], _ words: [String]) {
      for (number, word) in zip(numbers, words) {
        loops[number].spawn { await MainActor.run { log.append(word) } }
      }
      host.run()
    }
    serve([0, 1], ["first", "second"])
    must(log.values.sorted() == ["first", "second"], "\(log.values)")
    let (leaving, staying) = lastLeavesFirst ? (1, 0) : (0, 1)
    loops[leaving].detach()
    host.run()
    serve([staying], ["the one that is left"])
    must(log.values.last == "the one that is left", "\(log.values)")
    loops[staying].detach()
    host.run()
    must(host.foreignHandles == 0 && host.close() == 0, "nothing is left in the host")
  }
}

private func must(_ condition: Bool, _ sentence: String) {
  if condition { return }
  print("not so: \(sentence)")
  exit(1)
}

/// Called by the hooks on the first thread of a process that a test has begun.
@_cdecl("test_on_main_thread")
func testOnMainThread(_ name: UnsafePointer<CChar>) {
  // A scenario that hangs ends, also if the thread that has begun the program blocks the signal.
  cuv_unblock_signal(SIGALRM)
  alarm(20)
  do {
    try MainThreadTests.Scenario(rawValue: String(cString: name))!.make()
    print("all is well")
  } catch { must(false, "\(error)") }
}
#endif
