import Dispatch
import Foundation
import NIOCore
import NIOPosix
import PeerContract

/// What a run on the loop counts; touched on the loop's thread only.
final class Counts: @unchecked Sendable {
  var issued = 0
  var ended = 0
  var total = 0
}

/// The workloads with callbacks.
final class Callbacks: @unchecked Sendable {
  private let contract: Contract
  private let loop: any EventLoop
  private let files: NonBlockingFileIO

  init(_ contract: Contract, _ loop: any EventLoop, _ pool: NIOThreadPool) {
    self.contract = contract
    self.loop = loop
    files = NonBlockingFileIO(threadPool: pool)
  }

  /// Does the workload's operations on the loop, and waits for what they found.
  func work(_ count: Int) -> Int {
    let done = loop.makePromise(of: Int.self)
    loop.execute { [self] in
      switch contract.workload {
      case "million-timers": millionTimers(count, done)
      case "fs-read": readFiles(count, done)
      case "wakeup": wakeUps(count, done)
      case "then-chain": thenChain(count, done)
      default: fatalError("there is no workload named \(contract.workload)")
      }
    }
    return try! done.futureResult.wait()
  }

  private func millionTimers(_ count: Int, _ done: EventLoopPromise<Int>) {
    let counts = Counts()
    for index in 0..<count {
      loop.scheduleTask(in: .milliseconds(timerDelay(index))) {
        counts.ended += 1
        if counts.ended == count { done.succeed(count) }
      }
    }
  }

  private func readFiles(_ count: Int, _ done: EventLoopPromise<Int>) {
    let (counts, allocator) = (Counts(), ByteBufferAllocator())
    @Sendable func next() {
      guard counts.issued < count else { return }
      counts.issued += 1
      files.openFile(_deprecatedPath: contract.path(counts.issued - 1), eventLoop: loop)
        .flatMap { [self] file, region in
          files.read(fileRegion: region, allocator: allocator, eventLoop: loop).flatMapThrowing { bytes in
            try file.close()
            return bytes.readableBytes
          }
        }
        .whenComplete { result in
          counts.total += try! result.get()
          counts.ended += 1
          if counts.ended == count { done.succeed(counts.total) }
          next()
        }
    }
    for _ in 0..<contract.inFlight { next() }
  }

  private func wakeUps(_ count: Int, _ done: EventLoopPromise<Int>) {
    let (loop, counts, answer) = (loop, Counts(), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      for _ in 0..<count {
        loop.execute {
          counts.ended += 1
          answer.signal()
          if counts.ended == count { done.succeed(count) }
        }
        answer.wait()
      }
    }
  }

  private func thenChain(_ count: Int, _ done: EventLoopPromise<Int>) {
    let (loop, counts) = (loop, Counts())
    @Sendable func next() {
      guard counts.issued < count else { return }
      let value = counts.issued
      counts.issued += 1
      loop.execute {
        let one = value + 1
        loop.execute {
          let two = one * 2
          loop.execute {
            counts.total += two - 1
            counts.ended += 1
            if counts.ended == count { done.succeed(counts.total) }
            next()
          }
        }
      }
    }
    for _ in 0..<contract.inFlight { next() }
  }
}
