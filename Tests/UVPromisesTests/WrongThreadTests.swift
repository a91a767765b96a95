#if DEBUG
import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

@Suite struct WrongThreadTests {
  @Test("A handler that is added on a thread with another loop stops a debug build with a sentence")
  func handler() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let promise = Box(loop.sleep(for: .untilCancelled).promise())
      let done = DispatchSemaphore(value: 0)
      Thread {
        let other = try? EventLoop()
        promise.value!.done {}.cauterize()
        done.signal()
        withExtendedLifetime(other) {}
      }.start()
      done.wait()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a promise of an event loop on a thread that isn't the event loop's"))
  }

  @Test(
    "A resolver that is asked to notify of a cancellation on another thread stops the program with a sentence"
  )
  func onCancel() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.run { loop in
        let seal = Promise<Int>.pending().resolver
        let done = DispatchSemaphore(value: 0)
        Thread {
          seal.onCancel {}
          done.signal()
        }.start()
        done.wait()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("onCancel is called on the thread of the promise's event loop, where it runs"))
  }
}
#endif
