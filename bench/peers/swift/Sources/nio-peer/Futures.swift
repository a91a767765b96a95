import NIOCore
import PeerContract

/// `then-chain` with NIO's futures. Their handlers run when the promise is resolved, so that each turn of the
/// loop does as many chains as are to be in flight.
struct Futures: Sendable {
  let contract: Contract
  let loop: any EventLoop

  init(_ contract: Contract, _ loop: any EventLoop) {
    self.contract = contract
    self.loop = loop
  }

  func thenChain(_ count: Int) -> Int {
    let (loop, counts, done) = (loop, Counts(), loop.makePromise(of: Int.self))
    let inFlight = contract.inFlight
    @Sendable func turn() {
      for _ in 0..<min(inFlight, count - counts.issued) {
        let promise = loop.makePromise(of: Int.self)
        promise.futureResult.map { $0 + 1 }.map { $0 * 2 }.map { $0 - 1 }.whenSuccess { counts.total += $0 }
        promise.succeed(counts.issued)
        counts.issued += 1
      }
      if counts.issued < count { loop.execute(turn) } else { done.succeed(counts.total) }
    }
    loop.execute(turn)
    return try! done.futureResult.wait()
  }
}
