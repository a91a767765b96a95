import Dispatch
import Foundation
import NIOCore
import NIOPosix
import PeerContract

/// Runs tasks on an event loop.
final class LoopTaskExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// The workloads with tasks.
struct Tasks: Sendable {
  private let contract: Contract
  private let loop: any EventLoop
  private let files: NonBlockingFileIO
  private let executor: LoopTaskExecutor?

  init(_ contract: Contract, _ loop: any EventLoop, _ pool: NIOThreadPool, _ executor: LoopTaskExecutor?) {
    self.contract = contract
    self.loop = loop
    files = NonBlockingFileIO(threadPool: pool)
    self.executor = executor
  }

  /// Does the workload's operations in tasks, and waits for what they found.
  func work(_ count: Int) -> Int {
    let done = loop.makePromise(of: Int.self)
    Task(executorPreference: executor) {
      do {
        switch contract.workload {
        case "million-timers": done.succeed(try await millionTimers(count))
        case "fs-read": done.succeed(try await together(count, readFile))
        case "wakeup": done.succeed(await wakeUps(count))
        case "then-chain": done.succeed(try await together(count) { await three(two(one($0))) })
        default: fatalError("there is no workload named \(contract.workload)")
        }
      } catch { done.fail(error) }
    }
    return try! done.futureResult.wait()
  }

  private func millionTimers(_ count: Int) async throws -> Int {
    try await withThrowingDiscardingTaskGroup { group in
      for index in 0..<count {
        group.addTask(executorPreference: executor) {
          try await loop.scheduleTask(in: .milliseconds(timerDelay(index))) {}.futureResult.get()
        }
      }
    }
    return count
  }

  /// As many tasks as are to be in flight; each does its share. The sum of what they found.
  private func together(_ count: Int, _ work: @escaping @Sendable (Int) async throws -> Int) async throws
    -> Int
  {
    let inFlight = contract.inFlight
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for first in 0..<inFlight {
        group.addTask(executorPreference: executor) {
          var total = 0
          for index in stride(from: first, to: count, by: inFlight) { total += try await work(index) }
          return total
        }
      }
      return try await group.reduce(0, +)
    }
  }

  @Sendable private func readFile(_ index: Int) async throws -> Int {
    try await files.withFileRegion(_deprecatedPath: contract.path(index)) { region in
      try await files.read(fileRegion: region, allocator: ByteBufferAllocator()).readableBytes
    }
  }

  private func wakeUps(_ count: Int) async -> Int {
    let (wakeUps, wakeUp) = AsyncStream<Void>.makeStream()
    let answer = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for _ in 0..<count {
        wakeUp.yield()
        answer.wait()
      }
      wakeUp.finish()
    }
    var answered = 0
    for await _ in wakeUps {
      answered += 1
      answer.signal()
    }
    return answered
  }
}

@inline(never) private func one(_ value: Int) async -> Int { value + 1 }
@inline(never) private func two(_ value: Int) async -> Int { value * 2 }
@inline(never) private func three(_ value: Int) async -> Int { value - 1 }
