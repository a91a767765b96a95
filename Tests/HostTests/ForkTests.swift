#if Everything
import CUV
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

  /// libuv polls anew in the child, and by level: what has woken the loop is to be read there.
  @Test("A loop whose host has forked, and called uv_loop_fork, doesn't spin in the child")
  func anAdoptedLoopInAChild() async throws {
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      // Woken a few times, so that the loop is notified by edge.
      for _ in 0..<3 {
        try loop.executor.execute { _ in }
        host.turn()
      }
      let child = forkProcess()
      if child == 0 {
        alarm(30)
        guard uv_loop_fork(host.loop) == 0, (try? loop.executor.execute({ _ in })) != nil else { _exit(2) }
        var timer = uv_timer_t()
        var turns = 0
        uv_timer_init(host.loop, &timer)
        uv_timer_start(&timer, { uv_stop($0!.pointee.loop) }, 50, 0)
        let watcher = try? loop.iterations(.check)
        watcher?.start { _ in turns += 1 }
        uv_run(host.loop, UV_RUN_DEFAULT)
        _exit(turns < 100 ? 42 : 1)
      }
      var status: Int32 = 0
      #expect(waitpid(child, &status, 0) == child)
      #expect(status == 42 << 8, "1 << 8 is a loop that spins: \(status)")
      loop.detach()
      host.run()
      #expect(host.close() == 0)
    }
  }
}
#endif
