import Dispatch
import Testing
import UV
import UVTestSupport

/// A thread that runs code for a loop: what is made meanwhile is the loop's, and nothing is afterwards.
@Suite struct LoopBatchTests {
  /// An object that is answered by hand, and notes what it hears.
  private final class Question: Answerable {
    var waitingPlace: Int32 = -1
    var keepsLoopRunning: Bool { true }
    let executor: LoopExecutor
    let log: Log<String>

    init(_ executor: LoopExecutor, _ log: Log<String>) { (self.executor, self.log) = (executor, log) }

    func note(_ word: String) { log.append(executor.isOnLoop ? word : "\(word) elsewhere") }
    func forsake() { note("forsaken") }
  }

  /// Calls `body` on another thread, with a ticket of the loop's, while the loop runs.
  private func elsewhere(_ body: @escaping @Sendable (RemoteTicket, LoopExecutor) -> Void) async throws {
    try await withLoop { loop in
      let ticket = RemoteTicket(carrying: Token(), of: loop)
      let executor = loop.executor
      await Task.detached {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            body(ticket, executor)
            continuation.resume()
          }
        }
      }.value
      _ = ticket.takeNow()
    }
  }

  @Test func `A thread is a loop's while it runs code for that, however deep, and no longer`() async throws {
    try await elsewhere { ticket, _ in
      #expect(LoopBatch.current == nil)
      ticket.run {
        let batch = LoopBatch.current
        #expect(batch != nil && batch === LoopBatch.current)
        ticket.run { #expect(LoopBatch.current != nil && LoopBatch.current !== batch) }
        #expect(LoopBatch.current === batch)
        LoopBatch.without { #expect(LoopBatch.current == nil) }
        #expect(LoopBatch.current === batch)
        try? LoopBatch.without { throw Trouble.first }
        #expect(LoopBatch.current === batch)
      }
      #expect(LoopBatch.current == nil)
      try? ticket.run { throw Trouble.first }
      #expect(LoopBatch.current == nil)
    }
  }

  @Test func `What was made is answered on the loop, while the code runs and afterwards`() async throws {
    let log = Log<String>()
    let gate = DispatchSemaphore(value: 0)
    try await elsewhere { ticket, executor in
      let kept = Box<RemoteTicket>(nil)
      ticket.run {
        kept.value = RemoteTicket.open(Question(executor, log))
        // At once, as its thread is the code's.
        let atOnce = RemoteTicket.open(Question(executor, log))
        #expect(atOnce.isHere)
        (atOnce.takeNow() as! Question).note("at once")
        // Nobody keeps this one.
        _ = RemoteTicket.open(Question(executor, log))
        LoopBatch.current?.perform { _ in log.append("performed") }
        #expect(log.values == ["at once elsewhere"])
      }
      #expect(kept.value?.isHere == false && kept.value?.claim() == true)
      kept.value?.complete {
        ($0 as! Question).note("later")
        gate.signal()
      }
      kept.value = nil
      gate.wait()
    }
    // A later answer may come in the turn in which the loop gets the rest.
    #expect(log.values.prefix(2) == ["at once elsewhere", "forsaken"])
    #expect(log.values.dropFirst(2).sorted() == ["later", "performed"])
  }
}
