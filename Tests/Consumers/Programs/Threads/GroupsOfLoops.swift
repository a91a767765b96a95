// Loops on threads of their own: work is spread over them and sent to them, and each counts for itself.
import Foundation
import UV

private final class Counter { var count = 0 }

enum GroupsOfLoops: Program {
  static func main() throws {
    try groupOfLoops()
    try oneForEachLoop()
    try workSentToALoopFromThreads()
    try loopOnAThreadOfItsOwn()
  }

  /// Loops on threads of their own: work is spread over them, and a port is served by all.
  private static func groupOfLoops() throws {
    let group = try EventLoopGroup(count: 3)
    print(group.executors.count, EventLoopGroup.defaultCount >= 1)
    try EventLoop.run { loop in
      var sum = 0
      for number in 1...6 { sum += try await group.next().submit { loop in loop.isClosed ? 0 : number } }
      print(sum)
      let handles = try await group.next().submit(on: loop) { $0.activity.handles }.value
      print(handles >= 0)

      let address = try await group.listen(host: "127.0.0.1", port: 0, balance: .roundRobin) { connection in
        connection.write("served") { _ in connection.close() }
      }
      for _ in 0..<3 {
        let client = try await loop.tcp.connect(to: address).value
        for try await bytes in client { print(String(decoding: bytes, as: UTF8.self)) }
        client.close()
      }
      let second = try await group.serve(host: "127.0.0.1", port: 0, balance: .system, on: loop) {
        connection in
        do { try await connection.write("second").value } catch { print(error) }
      }.value
      let client = try await loop.tcp.connect(to: second).value
      print(try await client.read().value == "second")
      client.close()
      let third = try await group.listen(host: "127.0.0.1", port: 0, on: loop) { $0.close() }.value
      print(third.port > 0)
      let report = try await group.shutdownGracefully(within: .seconds(10), on: loop).value
      print(report == ShutdownReport(count: 0, peers: []))
      print(await code(awaiting: try await group.serve(port: 0) { _ in }) == .loopClosed)
    }
  }

  /// Each loop of a group counts for itself, without a lock.
  private static func oneForEachLoop() throws {
    let counters = LoopLocal { _ in Counter() }
    let group = try EventLoopGroup(count: 2)
    try EventLoop.run { _ in
      for _ in 0..<6 {
        let count = try await group.next().submit { loop in
          counters[loop].count += 1
          return counters[loop].count
        }
        print(count)
      }
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  /// Threads of Foundation's send work to a loop by its executor, which runs it in order.
  private static func workSentToALoopFromThreads() throws {
    try EventLoop.run { loop in
      let executor = loop.executor
      let sum = loop.spawn { () async throws(UVError) -> Int in
        var sum = 0
        for i in 1...10 { sum += try await executor.submit { _ in i } }
        return sum
      }
      var seen: [Int] = []
      let numbers = AsyncStream<Int> { continuation in
        Thread.detachNewThread {
          for i in 0..<3 {
            do { try executor.execute { _ in continuation.yield(i) } } catch { print(error) }
          }
          do { try executor.execute { _ in continuation.finish() } } catch { print(error) }
        }
      }
      for await number in numbers { seen.append(number) }
      print(seen)
      print(try await sum.value)
      let onLoop = await Task.detached { executor.isOnLoop }.value
      print(onLoop, executor.isOnLoop)
    }
  }

  static func worker(
    _ ready: @escaping @Sendable (LoopExecutor) -> Void, _ ended: @escaping @Sendable () -> Void
  ) {
    Thread.detachNewThread {
      EventLoop.run { loop in
        ready(loop.executor)
        do {
          try await loop.sleep(for: .untilCancelled).value
        } catch {
          print("stopped: \(error.isCancelled)")
        }
      }
      ended()
    }
  }

  /// A loop on a thread of Foundation's gives its executor away, and other threads ask it for work until they stop
  /// it.
  private static func loopOnAThreadOfItsOwn() throws {
    let end = DispatchSemaphore(value: 0)
    worker { executor in
      DispatchQueue.global().async {
        do {
          try executor.execute { loop in
            loop.files.stat("/") { result in
              print((try? result.get().type) == .directory)
              executor.stop()
            }
          }
        } catch { print(error) }
      }
    } _: {
      end.signal()
    }
    end.wait()
  }
}

// Prints:
// 3 true
// 21
// true
// served
// served
// served
// true
// true
// true
// true
// 1
// 1
// 2
// 2
// 3
// 3
// [0, 1, 2]
// 55
// false true
// true
// stopped: true
