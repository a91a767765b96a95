import Foundation
import Testing
import UV
import UVTestSupport

// Swift hides it, and with reason; a host in C may call it all the same.
@_silgen_name("fork") private func forkProcess() -> Int32

@Suite struct ForkTests {
  /// Rule 46: a loop does not go on in a forked child, and says so.
  @Test func rule46AForkedChildIsToldToMakeALoopOfItsOwn() async throws {
    try await withThread {
      let loop = try EventLoop()
      let child = forkProcess()
      if child == 0 {
        // Nothing of the tests is to run on here.
        alarm(30)
        do throws(UVError) {
          try loop.runNoWait()
          _exit(1)
        } catch {
          _exit(error.code == .loopForked ? 42 : 2)
        }
      }
      var status: Int32 = 0
      #expect(waitpid(child, &status, 0) == child)
      #expect(status == 42 << 8)
      #expect(try !loop.runNoWait())
      loop.shutdown()
    }
  }
}
