// A chain goes to a queue and comes back; the loop is a scheduler.
import Dispatch
import Foundation
import UV
import UVFutures

private func checksum(_ bytes: Bytes, on loop: EventLoop) -> Future<Int, Never> {
  Future(on: loop) { resolver in
    DispatchQueue.global().async { resolver(.success(bytes.reduce(0) { $0 + Int($1) })) }
  }
}

enum QueuesAndSchedulers: Program {
  static func main() throws {
    try queueAndBack()
    try schedulerOfTheLoop()
    try futureResolvedByAQueue()
  }

  private static func sum(upTo limit: Int) -> Int { (1...limit).reduce(0, &+) }

  /// A chain moves to a queue for slow work and comes back, and one that has had enough there stops the loop's
  /// source.
  private static func queueAndBack() throws {
    let queue = DispatchQueue(label: "slow work")
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      loop.files.stat("/").publisher()
        .map { _ in 100_000 }
        .receive(on: queue)
        .map { sum(upTo: $0) }
        .receive(on: loop)
        .sink { _ in
          print("on the loop:", loop.executor.isOnLoop)
        } receiveValue: {
          print("sum", $0)
        }
        .store(in: &subscriptions)
    }
    EventLoop.runCallbacks { loop in
      loop.ticks(every: .milliseconds(1)).publisher()
        .receive(on: queue, options: nil)
        .prefix(3)
        .collect()
        .receive(on: loop)
        .sink { _ in
        } receiveValue: {
          print($0.count, "ticks")
        }
        .store(in: &subscriptions)
    }
  }

  /// The loop is a scheduler: it schedules actions itself, and receives what comes from a queue.
  private static func schedulerOfTheLoop() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      loop.schedule { print("now") }
      loop.schedule(after: loop.now.advanced(by: .milliseconds(5))) { print("later") }
      let executor = loop.executor
      func delayed() {
        Just(20).setFailureType(to: Never.self)
          .delay(for: .milliseconds(5), scheduler: loop)
          .receive(on: loop)
          .map { number in "\(number) \(executor.isOnLoop)" }
          .sink { print($0) }
          .store(in: &subscriptions)
      }
      var count = 0
      var repeating: (any Cancellable)?
      repeating = loop.schedule(after: loop.now.advanced(by: .milliseconds(10)), interval: .milliseconds(2)) {
        count += 1
        guard count == 3 else { return }
        repeating?.cancel()
        print("three times")
        // Not beside the other: a busy machine may be late for one of them.
        delayed()
      }
      print(loop.minimumTolerance == .milliseconds(1))
      let stride: EventLoop.SchedulerTimeType.Stride = 2
      print(stride == .seconds(2.0), stride.duration, stride.magnitude, stride > .microseconds(5))
      let later: EventLoop.SchedulerTimeType = loop.now.advanced(by: .nanoseconds(7))
      print(
        later.distance(to: later.advanced(by: 1.5)) == .milliseconds(1500),
        later.instant > LoopClock.Instant(nanoseconds: 7))
    }
  }

  struct Refused: Error {}

  /// Futures that are resolved by a queue and by a thread are heard on the loop.
  private static func futureResolvedByAQueue() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let executor = loop.executor
      checksum([1, 2, 3], on: loop)
        .sink { print($0, executor.isOnLoop) }
        .store(in: &subscriptions)
    }
    try EventLoop.run { loop in
      let (future, resolver) = Future<String, Refused>.pending(on: loop)
      Thread.detachNewThread { resolver(.success("from a thread")) }
      print(try await future.value)
      let (second, refuse) = Future<String, Refused>.pending(on: loop)
      Task.detached { refuse(.failure(Refused())) }
      do throws(Refused) {
        print(try await second.value)
      } catch {
        print("refused")
      }
    }
  }
}

// Prints:
// sum 5000050000
// on the loop: true
// 3 ticks
// true
// true 2.0 seconds 2000000000 true
// true true
// now
// later
// three times
// 20 true
// 6 true
// from a thread
// refused
