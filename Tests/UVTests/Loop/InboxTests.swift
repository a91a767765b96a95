import Foundation
import Synchronization
import Testing
import UV
import UVTestSupport

/// What other threads send to a loop: it arrives once, in order, and wakes the loop seldom.
@Suite struct InboxTests {
  /// Ten times as much with the variable UV_STRESS set.
  private static let scale = ProcessInfo.processInfo.environment["UV_STRESS"] == nil ? 1 : 10

  /// Runs `body` on so many threads, and returns a function that waits for their end.
  private func threads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> () -> Void {
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<count {
      Thread {
        body(number)
        ended.signal()
      }.start()
    }
    return { for _ in 0..<count { ended.wait() } }
  }

  @Test("What is sent while the loop handles messages is handled in the next turn, all at once")
  func aLoopLooksAgain() async throws {
    // Other loops of this process may have turns too, though not each time.
    var least = Int.max
    for _ in 0..<5 {
      let turns = Log<Int>()
      try await withCallbackLoop { loop in
        let executor = loop.executor
        let note: @Sendable (EventLoop) -> Void = { _ in turns.append(Hooks.loopTurns ?? 0) }
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // Keeps the loop running.
        let timer = Box(loop.sleep(for: .untilCancelled) { _ in })
        _ = threads(1) { _ in
          try? executor.execute { loop in
            note(loop)
            begun.signal()
            gate.wait()
          }
          begun.wait()
          for _ in 0..<500 { try? executor.execute(note) }
          try? executor.execute { _ in timer.value?.cancel() }
          gate.signal()
        }
      }
      #expect(turns.values.count == 501)
      least = min(least, turns.values.last! - turns.values[0])
    }
    #expect(Hooks.loopTurns == nil || least == 1, "\(least) turns later")
  }

  #if os(Linux)
  /// How many times the calling thread has written, by the system's count; nil if it has none.
  private static var writes: Int? {
    let text = try? String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
    return text?.split(separator: "\n").first { $0.hasPrefix("syscw:") }.flatMap { Int($0.dropFirst(7)) }
  }

  @Test func `What is sent while the loop handles messages signals nobody`() async throws {
    guard Self.writes != nil else { return }
    let counts = Log<Int>()
    try await withCallbackLoop { loop in
      let executor = loop.executor
      // Keeps the loop running.
      let timer = Box(loop.sleep(for: .untilCancelled) { _ in })
      _ = threads(1) { _ in
        for _ in 0..<5 {
          let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
          try? executor.execute { _ in
            begun.signal()
            gate.wait()
          }
          begun.wait()
          let before = Self.writes!
          for _ in 0..<100 { try? executor.execute { _ in } }
          counts.append(Self.writes! - before)
          gate.signal()
        }
        try? executor.execute { _ in timer.value?.cancel() }
      }
    }
    #expect(counts.values == [0, 0, 0, 0, 0])
  }
  #endif

  @Test func `A loop that has looked again and waits is woken by the next message`() async throws {
    try await withLoop { loop in
      let executor = loop.executor
      for _ in 0..<1000 * Self.scale {
        let sum = try await Task.detached {
          var sum = try await executor.submit { _ in 1 }
          sum += try await executor.submit { _ in 1 }
          return sum
        }.value
        #expect(sum == 2)
      }
    }
  }

  @Test func `Messages of each thread arrive in its order, and none is lost`() async throws {
    let (senders, count) = (4, 20_000 * Self.scale)
    let arrivals = Arrivals(senders)
    try await withCallbackLoop { loop in
      let executor = loop.executor
      let timer = Box(loop.sleep(for: .untilCancelled) { _ in })
      _ = threads(senders) { sender in
        for index in 0..<count {
          try? executor.execute { _ in
            arrivals.add(sender, index)
            if arrivals.count == senders * count { timer.value?.cancel() }
          }
        }
      }
    }
    #expect(arrivals.count == senders * count && arrivals.isInOrder)
  }

  @Test("What a loop has taken runs, and what comes too late is refused, where the loop ends meanwhile")
  func theEndOfALoop() async throws {
    for _ in 0..<30 * Self.scale {
      try await withThread {
        let loop = try EventLoop()
        let executor = loop.executor
        let (taken, run) = (Counter(), Counter())
        let join = threads(3) { _ in
          for _ in 0..<20_000 {
            guard (try? executor.execute { _ in run.add(1) }) != nil else { break }
            taken.add(1)
          }
        }
        loop.runCallbacks { loop in loop.sleep(for: .milliseconds(2)) { _ in loop.stop() } }
        // What came after the end of the run arrives in the next one.
        loop.runCallbacks { loop in loop.sleep(for: .milliseconds(2)) { _ in } }
        loop.shutdown()
        join()
        #expect(run.count == taken.count)
      }
    }
  }

  @Test("Each question to another loop is answered once, where the loop that is asked ends meanwhile")
  func theEndOfALoopThatIsAsked() async throws {
    for _ in 0..<20 * Self.scale {
      try await withCallbackLoop { loop in
        let group = try EventLoopGroup(count: 1)
        let executor = group.next()
        var (asked, answered, refused) = (0, 0, 0)
        func ask() {
          asked += 1
          executor.submit(on: loop) { _ in 1 }.start { result in
            switch result {
            case .success:
              answered += 1
              if answered == 2000 { group.shutdownGracefully(within: .zero, on: loop).start { _ in } }
              ask()
            case .failure(let error):
              #expect(error.code == .loopClosed)
              refused += 1
              if refused == 100 { #expect(answered + refused == asked) }
            }
          }
        }
        for _ in 0..<100 { ask() }
      }
    }
  }

  @Test func `Each question is answered once, where the loop that asks ends meanwhile`() async throws {
    for _ in 0..<20 * Self.scale {
      try await withThread {
        let group = try EventLoopGroup(count: 1)
        let executor = group.next()
        let loop = try EventLoop()
        let (asked, answered) = (Counter(), Counter())
        func ask(_ count: Int) {
          asked.add(1)
          executor.submit(on: loop) { _ in Marker() }.start { result in
            answered.add(1)
            if case .success = result, count < 50 { ask(count + 1) }
          }
        }
        loop.runCallbacks { loop in
          for index in 0..<100 { ask(index) }
          loop.sleep(for: .zero) { _ in loop.stop() }
        }
        loop.shutdown()
        #expect(asked.count == answered.count)
        EventLoop.run { _ in _ = await group.shutdownGracefully(within: .zero) }
        #expect(Marker.left.count == 0)
      }
    }
  }
}

/// A count that several threads may keep.
private final class Counter: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .sequentiallyConsistent) }
  func add(_ change: Int) { number.add(change, ordering: .sequentiallyConsistent) }
}

/// A value that an answer brings, of which none may be left over.
private final class Marker: Sendable {
  static let left = Counter()
  init() { Self.left.add(1) }
  deinit { Self.left.add(-1) }
}

/// What several threads have sent, on the loop's thread.
// Sound: used on the loop's thread alone.
private final class Arrivals: @unchecked Sendable {
  private var next: [Int]
  var isInOrder = true
  var count = 0

  init(_ senders: Int) { next = Array(repeating: 0, count: senders) }

  func add(_ sender: Int, _ index: Int) {
    if next[sender] != index { isInOrder = false }
    next[sender] += 1
    count += 1
  }
}
