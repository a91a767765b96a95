#if Everything
import Foundation
import NIOCore
import Synchronization
import Testing
import UV
import UVNIO
import UVTestSupport

/// Writes that produce more writes leave others their turn.
@Suite(.serialized) struct TurnTests {
  private static let count = 100_000
  /// The writes of one turn, by the budget that a turn has.
  private static let perTurn = 2048 / 16

  /// Counts the turns of a loop.
  private final class Turns: Sendable {
    private let count = Atomic(0)

    init(of loop: any NIOCore.EventLoop) throws {
      try loop.submit {
        let turns = try #require(UV.EventLoop.current).iterations(.prepare)
        turns.start { _ in self.count.add(1, ordering: .relaxed) }
      }.wait()
    }

    /// Expects that the writes took as many turns as they should.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
      let least = TurnTests.count / TurnTests.perTurn / 2
      #expect(count.load(ordering: .relaxed) >= least, sourceLocation: sourceLocation)
    }
  }

  /// Writes again and again, each time when the write before it has left.
  private final class Chain: Sendable {
    private let rest: NIOLoopBoundBox<Int>
    private let write: @Sendable (EventLoopPromise<Void>) -> Void
    private let isAskedBefore: Bool
    let done: EventLoopPromise<Void>

    /// - Parameter isAskedBefore: Whether the end of a write is asked for before it begins. Otherwise it may
    ///   have ended by then, and the next one begins on the stack of the one before it.
    init(
      _ count: Int, on loop: any NIOCore.EventLoop, isAskedBefore: Bool,
      _ write: @escaping @Sendable (EventLoopPromise<Void>) -> Void
    ) {
      rest = .makeBoxSendingValue(count, eventLoop: loop)
      done = loop.makePromise()
      self.isAskedBefore = isAskedBefore
      self.write = write
    }

    /// Begins, with a task that is due at once beside it.
    func start() {
      let loop = done.futureResult.eventLoop
      loop.execute {
        loop.scheduleTask(in: .nanoseconds(0)) {
          // After two turns at most.
          #expect(self.rest.value >= TurnTests.count - 4 * TurnTests.perTurn)
        }
        self.goOn()
      }
    }

    private func goOn() {
      if rest.value == 0 { return done.succeed() }
      rest.value -= 1
      let promise = done.futureResult.eventLoop.makePromise(of: Void.self)
      if !isAskedBefore { write(promise) }
      promise.futureResult.whenComplete { result in
        switch result {
        case .success: self.goOn()
        case .failure(let error): self.done.fail(error)
        }
      }
      if isAskedBefore { write(promise) }
    }
  }

  @Test(
    "While each write begins the next one over TCP, others have their turn",
    arguments: [true, false])
  func stream(isAskedBefore: Bool) async throws {
    try await withGroup(2) { group in
      let (here, there) = (group.next(), group.next())
      // It is read on another thread, as fast as it is written.
      let received = Collect(on: there, enough: Self.count * 64)
      let server = try serve(there) { [received] }
      let channel = try connect(here, to: server)
      let bytes = ByteBuffer(repeating: 1, count: 64)
      let chain = Chain(Self.count, on: here, isAskedBefore: isAskedBefore) {
        channel.writeAndFlush(bytes, promise: $0)
      }
      let turns = try Turns(of: here)
      chain.start()
      try chain.done.futureResult.wait()
      turns.check()
      #expect(try received.end.futureResult.wait().readableBytes == Self.count * 64)
    }
  }

  @Test(
    "While each datagram begins the next one, others have their turn", arguments: [true, false])
  func datagrams(isAskedBefore: Bool) async throws {
    try await withGroup { group in
      let loop = group.next()
      let bootstrap = UVDatagramBootstrap(group: loop).channelOption(.autoRead, value: false)
      // Nobody reads what comes here, and the system drops it.
      let sink = try bootstrap.bind(host: "127.0.0.1", port: 0).wait()
      let channel = try bootstrap.bind(host: "127.0.0.1", port: 0).wait()
      let address = sink.localAddress!
      let chain = Chain(Self.count, on: loop, isAskedBefore: isAskedBefore) {
        let envelope = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(string: "x"))
        channel.writeAndFlush(envelope, promise: $0)
      }
      let turns = try Turns(of: loop)
      chain.start()
      try chain.done.futureResult.wait()
      turns.check()
    }
  }

  /// Fills the channel again each time there is room.
  private final class Filler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let rest: NIOLoopBoundBox<Int>
    let done: EventLoopPromise<Void>

    init(_ count: Int, on loop: any NIOCore.EventLoop) {
      rest = .makeBoxSendingValue(count, eventLoop: loop)
      done = loop.makePromise()
    }

    func channelActive(context: ChannelHandlerContext) { fill(context) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      if context.channel.isWritable { fill(context) }
    }

    private func fill(_ context: ChannelHandlerContext) {
      if rest.value == 0 { return done.succeed() }
      rest.value -= 1
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(repeating: 1, count: 65)), promise: nil)
    }
  }

  @Test("While a handler writes each time there is room, others have their turn")
  func writability() async throws {
    try await withGroup(2) { group in
      let (here, there) = (group.next(), group.next())
      let received = Collect(on: there, enough: Self.count * 65)
      let server = try serve(there) { [received] }
      let filler = Filler(Self.count, on: here)
      let turns = try Turns(of: here)
      let mark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 64)
      _ = try UVClientBootstrap(group: here).channelOption(.writeBufferWaterMark, value: mark)
        .channelInitializer { $0.pipeline.addHandler(filler) }.connect(to: server.localAddress!).wait()
      try filler.done.futureResult.wait()
      turns.check()
      #expect(try received.end.futureResult.wait().readableBytes == Self.count * 65)
    }
  }

  @Test("Tasks that are due together and schedule others at once leave I/O its turn", arguments: [1, 1000])
  func due(count: Int) async throws {
    try await withGroup { group in
      let loop = group.next()
      let goesOn = Atomic(true)
      @Sendable func again() {
        if goesOn.load(ordering: .relaxed) { loop.scheduleTask(in: .nanoseconds(0)) { again() } }
      }
      for _ in 0..<count { again() }
      let server = try serve(loop) { [Echo()] }
      let answer = Collect(on: loop, enough: 2)
      let client = try connect(loop, to: server, answer)
      client.writeAndFlush(ByteBuffer(string: "hi"), promise: nil)
      #expect(String(buffer: try answer.end.futureResult.wait()) == "hi")
      goesOn.store(false, ordering: .relaxed)
      try loop.submit {}.wait()
    }
  }

  @Test("Tasks on a loop that go on for ever leave I/O its turn", arguments: [1, 3000])
  func tasks(count: Int) async throws {
    try await withGroup { group in
      let loop = group.next() as! UVEventLoop
      let (isOver, ended) = (Log<Bool>(), DispatchSemaphore(value: 0))
      for _ in 0..<count {
        Task(executorPreference: loop.taskExecutor) {
          while isOver.values.isEmpty { await Task.yield() }
          ended.signal()
        }
      }
      let server = try serve(loop) { [Echo()] }
      let answer = Collect(on: loop, enough: 2)
      let client = try connect(loop, to: server, answer)
      client.writeAndFlush(ByteBuffer(string: "hi"), promise: nil)
      #expect(String(buffer: try answer.end.futureResult.wait()) == "hi")
      isOver.append(true)
      for _ in 0..<count { ended.wait() }
    }
  }

  @Test("Tasks on a loop go on when the channels have had all events of the turn")
  func behindEvents() async throws {
    try await withGroup { group in
      let loop = group.next() as! UVEventLoop
      let (log, ended, entered, gate) = (
        Log<String>(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      let peers = try (0..<2).map { _ in
        let pair = socketPair()
        _ = try UVClientBootstrap(group: loop)
          .channelInitializer { $0.pipeline.addHandler(BeginsTask(loop, log, ended)) }
          .withConnectedSocket(pair[0]).wait()
        return pair[1]
      }
      loop.execute {
        entered.signal()
        gate.wait()
      }
      entered.wait()
      for peer in peers { #expect(write(peer, "x", 1) == 1) }
      gate.signal()
      for _ in peers { ended.wait() }
      #expect(log.values == ["event", "event", "task", "task"])
      for peer in peers { close(peer) }
    }
  }

  private final class BeginsTask: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    let loop: UVEventLoop
    let log: Log<String>
    let ended: DispatchSemaphore

    init(_ loop: UVEventLoop, _ log: Log<String>, _ ended: DispatchSemaphore) {
      (self.loop, self.log, self.ended) = (loop, log, ended)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      log.append("event")
      Task(executorPreference: loop.taskExecutor) { [log, ended] in
        log.append("task")
        ended.signal()
      }
    }
  }
}
#endif
