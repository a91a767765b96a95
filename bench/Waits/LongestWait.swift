import Foundation
import UV
import UVFutures
import UVPromises

/// How long a ticker of one millisecond waits at most beside work that never waits.
public struct LongestWait {
  /// The work, by the name of its style.
  public static let loads: [(name: String, start: @Sendable (EventLoop, Load) throws(UVError) -> Void)] = [
    ("write, callback", writeWithCallbacks), ("write, promise", writeWithPromises),
    ("write, publisher", writeWithPublishers), ("write, async", writeInATask),
    ("large write, async", writeMuchInATask), ("read, async", readInATask),
    ("read, callback", readWithAHandler), ("datagram, async", sendInATask),
    ("microtask", queueMicrotasks), ("then chain", chain), ("settled promise, async", awaitAPromise),
    ("settled future, async", awaitAFuture), ("publisher", repeatAPublisher), ("yield, async", yieldInATask),
    ("values, async", iterateOverValues),
  ]

  /// How late a tick was at most.
  public let wait: Duration
  /// The same in the processor time of the loop's thread, which other programs don't add to.
  public let processorTime: Duration
  /// How often the work was done.
  public let operations: Int
  /// How many ticks there were.
  public let ticks: Int

  /// Runs one of the ``loads`` for `duration` beside a ticker.
  public init(of load: (EventLoop, Load) throws(UVError) -> Void, for duration: Duration) throws(UVError) {
    let state = Load()
    var (longest, longestOwn, ticks) = (Duration.zero, Duration.zero, 0)
    try EventLoop.runCallbacks { loop throws(UVError) in
      try load(loop, state)
      let begin = loop.clock.now
      var (last, lastOwn) = (begin, threadTime())
      func tick() {
        loop.sleep(for: .milliseconds(1)) { _ in
          let (now, own) = (loop.clock.now, threadTime())
          longest = max(longest, last.duration(to: now))
          longestOwn = max(longestOwn, own - lastOwn)
          (last, lastOwn) = (now, own)
          ticks += 1
          if begin.duration(to: now) < duration { return tick() }
          state.end()
        }
      }
      tick()
    }
    wait = longest - .milliseconds(1)
    processorTime = longestOwn - .milliseconds(1)
    operations = state.operations
    self.ticks = ticks
  }
}

private func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}

/// Work under way.
public final class Load {
  var operations = 0
  var isOver = false
  /// What to close at the end.
  var handles: [Handle] = []
  var subscription: AnyCancellable?
  var repeats = PassthroughSubject<Int, Never>()

  func end() {
    isOver = true
    subscription?.cancel()
    for handle in handles { handle.close() }
    handles = []
  }

  /// Two ends of a connection on the loop.
  func pair(
    _ loop: EventLoop, _ body: @escaping (TCPConnection, TCPConnection) -> Void
  ) throws(UVError) {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    handles.append(listener)
    let address = try listener.localAddress()
    loop.spawn { [self] in
      do throws(UVError) {
        let client = try await loop.tcp.connect(to: address).value
        let server = try await listener.accept().value
        handles += [client, server]
        body(client, server)
      } catch { fatalError("\(error)") }
    }
  }

  /// A connection whose peer reads, or writes, on a thread of its own.
  func connection(
    _ loop: EventLoop, peerReads: Bool, _ body: @escaping (TCPConnection) -> Void
  ) throws(UVError) {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    handles.append(listener)
    let address = try listener.localAddress()
    let peer = Peer(address, reads: peerReads)
    peer.start()
    loop.spawn { [self] in
      do throws(UVError) {
        let connection = try await listener.accept().value
        handles.append(connection)
        body(connection)
      } catch { fatalError("\(error)") }
    }
  }
}

private let small = Bytes(repeating: 1, count: 64)
private let large = Bytes(repeating: 1, count: 64 << 10)

private func writeWithCallbacks(_ loop: EventLoop, _ load: Load) throws(UVError) {
  try load.connection(loop, peerReads: true) { connection in
    func again() {
      connection.write(small) { _ in
        load.operations += 1
        if !load.isOver { again() }
      }
    }
    again()
  }
}

private func writeWithPromises(_ loop: EventLoop, _ load: Load) throws(UVError) {
  try load.connection(loop, peerReads: true) { connection in
    func again() {
      connection.write(small).promise().done {
        load.operations += 1
        if !load.isOver { again() }
      }.catch { _ in }
    }
    again()
  }
}

private func writeWithPublishers(_ loop: EventLoop, _ load: Load) throws(UVError) {
  try load.connection(loop, peerReads: true) { connection in
    func again() {
      load.subscription = connection.write(small).publisher().sink { _ in
      } receiveValue: {
        load.operations += 1
        if !load.isOver { again() }
      }
    }
    again()
  }
}

private func write(_ bytes: Bytes, _ loop: EventLoop, _ load: Load) throws(UVError) {
  try load.connection(loop, peerReads: true) { connection in
    loop.spawn {
      while !load.isOver {
        try? await connection.write(bytes).value
        load.operations += 1
      }
    }
  }
}

private func writeInATask(_ loop: EventLoop, _ load: Load) throws(UVError) { try write(small, loop, load) }

private func writeMuchInATask(_ loop: EventLoop, _ load: Load) throws(UVError) {
  try write(large, loop, load)
}

private func readInATask(_ loop: EventLoop, _ load: Load) throws(UVError) {
  try load.connection(loop, peerReads: false) { connection in
    loop.spawn {
      do { for try await _ in connection { load.operations += 1 } } catch {}
    }
  }
}

private func readWithAHandler(_ loop: EventLoop, _ load: Load) throws(UVError) {
  try load.connection(loop, peerReads: false) { connection in
    connection.start { _ in load.operations += 1 }
  }
}

private func sendInATask(_ loop: EventLoop, _ load: Load) throws(UVError) {
  let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
  let sender = try loop.udp.connect(to: receiver.localAddress())
  load.handles += [receiver, sender]
  loop.spawn {
    while !load.isOver {
      try? await sender.send(small).value
      load.operations += 1
    }
  }
}

private func queueMicrotasks(_ loop: EventLoop, _ load: Load) {
  func again() {
    load.operations += 1
    if !load.isOver { loop.queueMicrotask(again) }
  }
  again()
}

private func chain(_ loop: EventLoop, _ load: Load) {
  // Kept by nobody: each link is let go when the next has been made.
  func again() {
    Promise.value(()).then { Promise.value(()) }.done {
      load.operations += 1
      if !load.isOver { again() }
    }.catch { _ in }
  }
  again()
}

private func awaitAPromise(_ loop: EventLoop, _ load: Load) {
  let promise = Promise.value(1)
  loop.spawn { while !load.isOver { load.operations += (try? await promise.async()) ?? 0 } }
}

private func awaitAFuture(_ loop: EventLoop, _ load: Load) {
  loop.spawn {
    let future = Future<Int, Never> { $0(.success(1)) }
    while !load.isOver { load.operations += await future.value }
  }
}

private func repeatAPublisher(_ loop: EventLoop, _ load: Load) {
  // Received on the loop, each value asks for the next.
  load.subscription = load.repeats.receive(on: loop).sink { _ in
    load.operations += 1
    if !load.isOver { load.repeats.send(1) }
  }
  load.repeats.send(1)
}

private func yieldInATask(_ loop: EventLoop, _ load: Load) {
  loop.spawn {
    while !load.isOver {
      await Task.yield()
      load.operations += 1
    }
  }
}

private func iterateOverValues(_ loop: EventLoop, _ load: Load) {
  loop.spawn {
    for await _ in (0...).publisher.values {
      load.operations += 1
      if load.isOver { break }
    }
  }
}
