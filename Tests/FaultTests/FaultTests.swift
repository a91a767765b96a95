import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Fails each call beneath this library once, one after the other, and looks what is left.
@Suite(.serialized) struct FaultTests {
  /// How calls fail.
  enum Fault: String, CaseIterable, CustomTestStringConvertible {
    case noMemoryForLibuv, refusedByLibuv, noMemory, noDescriptor, wouldBlock, interrupted, short, ioError

    var error: Int32 {
      switch self {
      case .noMemoryForLibuv, .refusedByLibuv, .noMemory: ENOMEM
      case .noDescriptor: EMFILE
      case .wouldBlock: EAGAIN
      case .interrupted: EINTR
      case .short: TEST_FAULT_SHORT
      case .ioError: EIO
      }
    }

    var layer: Int32 {
      switch self {
      case .noMemoryForLibuv: Int32(TEST_FAULT_ALLOCATOR.rawValue)
      case .refusedByLibuv: Int32(TEST_FAULT_LIBUV.rawValue)
      default: Int32(TEST_FAULT_SYSTEM.rawValue)
      }
    }

    /// Whether it hides nothing: every operation must come to the same end as without.
    var isHarmless: Bool { self == .short || self == .interrupted }

    var testDescription: String { rawValue }
  }

  @Test(
    "Rule 10: whichever call fails, each request is answered once and nothing is left",
    arguments: Fault.allCases)
  func everyCallFailsOnce(fault: Fault) async throws {
    guard test_faults_reach(fault.layer) != 0 else { return }
    let summary = try await withTemporaryDirectory { directory in
      try await withThread { try Self.failEveryCall(fault, directory) }
    }
    print("faults: \(fault.rawValue): \(summary)")
  }

  private static func failEveryCall(_ fault: Fault, _ directory: String) throws -> String {
    // First without, for what is set up once in a process, and for what the test itself keeps of a round.
    for _ in 0..<10 { #expect(run(nil, directory, 0).problems == []) }
    let fresh = Hooks.heapInUse ?? 0
    for _ in 0..<20 { #expect(run(nil, directory, 0).problems == []) }
    let usual = max(0, (Hooks.heapInUse ?? 0) - fresh) / 20
    let before = Hooks.heapInUse
    var struck: [String: Int] = [:]
    var number = 1
    while number < 5000 {
      let descriptors = openDescriptors()
      let (fired, name, problems) = run(fault, directory, number)
      // Where nothing fires any more, every call has had its turn; which come first is up to the pool.
      if fired == 0 { break }
      let left = openDescriptors().filter { descriptors[$0.key] == nil }
      for problem in problems + left.map({ "left open: \($0.value)" }) {
        Issue.record("\(fault.rawValue) at call \(number), of \(name): \(problem)")
      }
      struck[name, default: 0] += 1
      number += 1
    }
    #expect(number > 5)
    let growth = (Hooks.heapInUse ?? 0) - (before ?? 0)
    // Threads of the pool keep what they free for themselves, some hundred bytes a round, with faults or without.
    #expect(
      growth < 65536 + (usual + 512) * number,
      "the heap grew by \(growth) bytes in \(number) rounds, and by \(usual) in one without faults")
    let calls = struck.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return "\(number - 1) injected, heap \(growth) bytes, \(usual) a round without; \(calls)"
  }

  private static func run(
    _ fault: Fault?, _ parent: String, _ number: Int
  ) -> (fired: Int, name: String, problems: [String]) {
    let directory = "\(parent)/\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let ledger = Ledger()
    var problems: [String] = []
    if let fault { test_faults_arm(fault.error, fault.layer, number, 1, nil) }
    do throws(UVError) {
      let loop = try EventLoop()
      loop.runCallbacks { loop in
        FaultTests.guardAgainstHanging(loop) { problems.append("it hangs") }
        FileWork(loop: loop, directory: directory, ledger: ledger).start()
        SocketWork(loop, ledger).start()
        TimeWork(loop: loop, ledger: ledger).start()
      }
      // The guard is the one handle left.
      if loop.activity.handles > 1 || loop.activity.requests + loop.activity.timers + loop.activity.tasks > 0
      {
        problems.append("left on the loop: \(loop.activity)")
      }
      loop.shutdown()
      if !loop.activity.isIdle { problems.append("left after the shutdown: \(loop.activity)") }
    } catch {
      // No loop could be made, and the error says so.
      if fault == nil { problems.append("no loop: \(error)") }
    }
    let fired = fault == nil ? 0 : test_faults_disarm()
    let name = test_faults_last().map { String(cString: $0) } ?? "nothing"
    problems += ledger.problems
    if fault == .noDescriptor, name == "accept4" {
      // libuv drops connections then, and its clients see an end.
      problems.removeAll { $0.hasSuffix("came back") }
    }
    if fault == nil || fault!.isHarmless { problems += ledger.unexpectedErrors }
    return (fired, name, problems)
  }

  /// A run that does not end is stopped after half a minute, and said to hang.
  private static func guardAgainstHanging(_ loop: EventLoop, _ report: @escaping () -> Void) {
    let timer = try? Timer(loop)
    try? timer?.start(after: .seconds(30)) {
      report()
      loop.stop()
    }
    timer?.keepsLoopRunning = false
  }
}
