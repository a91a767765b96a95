import CTestHooks
import Foundation
import Synchronization
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
      case .noMemoryForLibuv: FaultLayer.allocator
      case .refusedByLibuv: FaultLayer.libuv
      default: FaultLayer.system
      }
    }

    /// Whether it hides nothing: every operation must come to the same end as without.
    var isHarmless: Bool { self == .short || self == .interrupted }

    var testDescription: String { rawValue }
  }

  @Test(
    "Whichever call fails, each request is answered once and nothing is left", .rule(10),
    arguments: Fault.allCases)
  func everyCallFailsOnce(fault: Fault) async throws {
    guard test_faults_reach(fault.layer) != 0 else { return }
    TLSWork.prepare()
    let struck = try await withTemporaryDirectory { directory in
      try await withThread { try Self.failEveryCall(fault, directory) }
    }
    // Every function had its turn, so that the workloads use all there is.
    #expect(Set(Self.functions(fault)).subtracting(struck.keys) == [])
  }

  /// The functions that can fail so.
  private static func functions(_ fault: Fault) -> some Sequence<String> {
    sequence(state: Int32(0)) { index in
      defer { index += 1 }
      return test_faults_function(index, fault.error, fault.layer).map { String(cString: $0) }
    }
  }

  /// By how many bytes the heap grows in a round without faults, counted once for all of them.
  private static func usualGrowth(_ workload: Workload, _ directory: String) -> Int {
    if let known = growth.withLock({ $0[workload] }) { return known }
    // First some for what is set up once in a process, and for what the test itself keeps of a round.
    for _ in 0..<5 { #expect(Round(workload, directory).run() == []) }
    let fresh = Hooks.heapInUse ?? 0
    for _ in 0..<10 { #expect(Round(workload, directory).run() == []) }
    let usual = max(0, (Hooks.heapInUse ?? 0) - fresh) / 10
    growth.withLock { $0[workload] = usual }
    return usual
  }

  private static let growth = Mutex<[Workload: Int]>([:])

  /// Every call with the variable UV_STRESS set, as in CI; in a usual run two of each function and every
  /// fifth.
  private static func isTried(_ number: Int) -> Bool { all || number <= 2 || number % 5 == 0 }

  private static let all = ProcessInfo.processInfo.environment["UV_STRESS"] != nil

  /// How often each function has failed.
  private static func failEveryCall(_ fault: Fault, _ directory: String) throws -> [String: Int] {
    var struck: [String: Int] = [:]
    for workload in Workload.allCases where !workload.isFatal(fault) {
      let usual = usualGrowth(workload, directory)
      // None fires, but they are counted.
      let counting = Round(workload, directory, fault, at: .max)
      #expect(counting.run() == [])
      let calls = functions(fault).map { ($0, test_faults_calls($0)) }
      /// Fails them one after the other. Returns by how many bytes the heap has grown, and how many it may
      /// grow.
      func failEach() -> (growth: Int, limit: Int) {
        let before = Hooks.heapInUse ?? 0
        var rounds = 1
        for (name, count) in calls {
          for number in stride(from: 1, through: count, by: 1) where Self.isTried(number) {
            let round = Round(workload, directory, fault, at: number, of: name)
            for problem in round.run() {
              Issue.record("\(workload), \(fault) at call \(number) of \(name): \(problem)")
            }
            // How often something is read depends on how it comes.
            if !round.hasFired { break }
            struck[name, default: 0] += 1
            rounds += 1
          }
        }
        return ((Hooks.heapInUse ?? 0) - before, 65536 + (usual + 512) * rounds)
      }
      // Threads of the pool keep what they free for themselves, with faults or without, and take it again the
      // next time. What is lost is lost each time.
      var (growth, limit) = failEach()
      if growth >= limit { (growth, limit) = failEach() }
      #expect(
        growth < limit,
        "\(workload): the heap grew by \(growth) bytes, and by \(usual) in a round without faults")
    }
    let calls = struck.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    print("faults: \(fault): \(struck.values.reduce(0, +)) injected: \(calls)")
    return struck
  }
}
