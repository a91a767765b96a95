#if os(Linux)
import Foundation
import Testing
import UV
import UVTestSupport

/// What is left of a program that was run, for the system: nothing, however the request has ended. When the loop has no more
/// to do, each child has been waited for.
@Suite(.serialized, .onTheMachine("children")) struct RunReapTests {
  /// How the request ends.
  enum End: CaseIterable, Sendable {
    case success, exitCode, signal, deadline, cancellation, cancellationAtOnce
    case outputLimit, errorLimit, outputsClosed, endedBefore

    var script: String {
      switch self {
      case .success: "echo one"
      case .exitCode: "exit 3"
      case .signal: "kill -9 $$"
      case .deadline, .cancellation, .cancellationAtOnce: "exec sleep 1000"
      case .outputLimit: "exec yes"
      case .errorLimit: "exec yes >&2"
      // Its own end comes later than that of its outputs.
      case .outputsClosed: "exec >/dev/null 2>&1; exec sleep 0.05"
      // It has ended itself when its deadline comes, and another one has its outputs open.
      case .endedBefore: "sleep 0.4 & exit"
      }
    }

    var code: UVError.Code? {
      switch self {
      case .success, .exitCode, .signal, .outputsClosed: nil
      case .deadline, .endedBefore: .timedOut
      case .cancellation, .cancellationAtOnce: .cancelled
      case .outputLimit, .errorLimit: .messageTooLong
      }
    }
  }

  /// How the program is run.
  enum Way: CaseIterable, Sendable {
    case request, callback, task, detached
    /// Such a child is libuv's own.
    case anotherUser
  }

  /// Whether the system knows a child of the calling thread, one that runs or one that nobody has waited for.
  private static var hasChild: Bool {
    let withoutThoseOfOtherThreads: Int32 = 0x2000_0000
    var end = siginfo_t()
    let flags = WEXITED | WNOHANG | WNOWAIT | withoutThoseOfOtherThreads
    return waitid(P_ALL, 0, &end, flags) == 0 || errno != ECHILD
  }

  private static func begin(
    _ end: End, _ way: Way, _ loop: EventLoop, _ done: @escaping (UVError.Code?) -> Void
  ) {
    let processes = loop.processes
    let arguments = ["-c", end.script]
    let limit = end == .outputLimit || end == .errorLimit ? 5000 : 1 << 20
    let time: Duration = end == .deadline || end == .endedBefore ? .milliseconds(100) : .seconds(1000)
    var pending = PendingRequest()
    let request = processes.run(
      "/bin/sh", arguments, user: way == .anotherUser ? 65534 : nil, isDetached: way == .detached,
      outputLimit: limit, errorLimit: limit)
    switch way {
    case .callback where time >= .seconds(1000):
      pending = processes.run("/bin/sh", arguments, outputLimit: limit, errorLimit: limit) {
        done($0.error?.code)
      }
    case .task:
      let task = loop.spawn { () async in
        do throws(UVError) {
          _ = try await request.timeout(after: time).value
          done(nil)
        } catch { done(error.code) }
      }
      pending = PendingRequest { task.cancel() }
    default: pending = request.timeout(after: time).start { done($0.error?.code) }
    }
    switch end {
    case .cancellation: loop.sleep(for: .milliseconds(30)) { _ in pending.cancel() }
    case .cancellationAtOnce: pending.cancel()
    default: break
    }
  }

  @Test(arguments: End.allCases, Way.allCases)
  func `A program that has been run is no zombie when its loop has no more to do`(end: End, way: Way)
    async throws
  {
    // Only the first user may start a child as another one.
    if way == .anotherUser, getuid() != 0 { return }
    let codes = Log<UVError.Code?>()
    let hasChild = Log<Bool>()
    try await withThread {
      let loop = try EventLoop()
      // The thread is new.
      hasChild.append(Self.hasChild)
      loop.runCallbacks { loop in
        for _ in 0..<3 { Self.begin(end, way, loop) { codes.append($0) } }
      }
      hasChild.append(Self.hasChild)
      loop.shutdown()
    }
    #expect(hasChild.values == [false, false])
    #expect(codes.values == Array(repeating: end.code, count: 3))
  }
}
#endif
