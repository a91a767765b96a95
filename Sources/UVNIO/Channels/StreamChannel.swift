#if NIO || NIOBootstraps || Everything
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// A connection, over TCP or a Unix socket.
// Sound: as its superclass.
class StreamChannel: WritingChannel, @unchecked Sendable {
  // Sound: no access to these lasts while the code of a handler or a promise runs, so none meets another.
  // Checking that took 1,100 of the 38,700 instructions of a small request by HTTP.
  @exclusivity(unchecked) private var writes = PendingWrites()
  @exclusivity(unchecked) private var inputClosed = false
  @exclusivity(unchecked) private var outputEnd: OutputEnd = .none {
    didSet { assert(oldValue.mayBecome(outputEnd), "an output that is \(oldValue) becomes \(outputEnd)") }
  }
  private var halfClosure = false
  private var connectTimeout: TimeAmount?
  private var connectTimer: Scheduled<Void>?

  /// How far the end of the output is. The end of the input doesn't depend on it.
  private enum OutputEnd {
    /// Nobody has asked for it.
    case none
    /// It comes after the writes before it, and then completes the promise.
    case wanted(EventLoopPromise<Void>?)
    /// Nothing can be written any more.
    case done

    func mayBecome(_ next: OutputEnd) -> Bool {
      switch (self, next) {
      case (.none, .wanted), (.none, .done), (.wanted, .wanted), (.wanted, .done): true
      case (.none, .none), (.wanted, .none), (.done, _): false
      }
    }
  }

  private var outputClosed: Bool {
    switch outputEnd {
    case .none, .wanted: false
    case .done: true
    }
  }

  final override var isInputClosed: Bool { inputClosed }
  final override var allowsHalfClosure: Bool { halfClosure }
  final override var hasFlushedWrites: Bool { writes.hasFlushed }
  final override var heldByteCount: Int { writes.byteCount }

  // MARK: What a pipe does otherwise

  /// The descriptor for writing: the socket itself, but for a pipe.
  var output: Socket { socket }

  /// Ends the input, unless the peer has done it.
  func endInput(isAtEnd: Bool) throws { if !isAtEnd { try socket.end(.input) } }

  func endOutput() throws { try socket.end(.output) }

  #if os(Linux) || os(Android)
  override var noticesLoss: Bool { true }
  #endif

  // MARK: Reading

  override func readFromSocket() throws -> Bool {
    var hasRead = false
    for _ in 0..<maxMessagesPerRead {
      guard isOpen, !inputClosed else { throw ChannelError.eof }
      let socket = socket
      let (buffer, count) = try receiver.buffer(allocator: bufferAllocator) { buffer in
        var received: Int?
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { memory in
          received = try socket.receive(into: memory)
          return received ?? 0
        }
        return received
      }
      guard let count else { return hasRead }
      if count == 0 {
        if inputClosed { return hasRead }
        throw ChannelError.eof
      }
      receiver.record(actualReadBytes: count)
      reading.note(isAsked: false)
      hasRead = true
      pipeline.syncOperations.fireChannelRead(NIOAny(buffer))
      // It had room for more, so nothing more has come.
      if buffer.writableBytes > 0 || !isOpen { return true }
    }
    return hasRead
  }

  // MARK: Writing

  override func add(_ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
    if outputClosed { return promise.fail(.outputClosed) }
    guard let data = tryUnwrapData(data, as: IOData.self) else { return promise.fail(.operationUnsupported) }
    writes.append(data, promise)
    noteAddedWrite()
  }

  override func markFlush() { writes.markFlush() }

  override func writeToSocket() throws -> Bool {
    var triesLeft = writeSpin + 1
    var hasRoom = true
    while isOpen, writes.hasFlushed {
      guard flushing == .yes, triesLeft > 0, let count = try writes.offer(to: output) else {
        hasRoom = false
        break
      }
      if loop.payForCall(count) { flushing = .ends }
      var done = FinishedWrites()
      let held = writes.byteCount
      writes.take(count, &done)
      // The rest of a write that the system took in part counts as a try.
      if writes.hasFlushed, count < held { triesLeft -= 1 }
      noteTakenWrites()
      done.succeed()
    }
    reportWritability()
    endOutputIfWanted()
    return hasRoom
  }

  override func failWrites(_ error: any Error) {
    connectTimer.take()?.cancel()
    var lost = FinishedWrites()
    writes.takeAll(&lost)
    switch outputEnd {
    case .none: outputEnd = .done
    case .wanted(let promise):
      outputEnd = .done
      lost.append(promise)
    case .done: break
    }
    lost.fail(error)
  }

  // MARK: Closing

  override func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard isOpen else { return promise.fail(.alreadyClosed) }
    switch mode {
    case .all: super.close0(error: error, mode: .all, promise: promise)
    case .input:
      if inputClosed { return promise.fail(.inputClosed) }
      if outputClosed { return super.close0(error: error, mode: .all, promise: promise) }
      closeInput(isAtEnd: error as? ChannelError == .eof, promise)
    case .output:
      if !outputClosed, inputClosed, writes.isEmpty {
        return super.close0(error: error, mode: .all, promise: promise)
      }
      switch outputEnd {
      case .done: return promise.fail(.outputClosed)
      case .none, .wanted(nil): outputEnd = .wanted(promise)
      case .wanted(let first?): if let promise { first.futureResult.cascade(to: promise) }
      }
      endOutputIfWanted()
    }
  }

  private func closeInput(isAtEnd: Bool, _ promise: EventLoopPromise<Void>?) {
    guard isLive else {
      promise?.fail(Socket.error("shutdown", ENOTCONN))
      return
    }
    do { try endInput(isAtEnd: isAtEnd) } catch {
      promise?.fail(error)
      return
    }
    inputClosed = true
    stopReading()
    promise?.succeed(())
    if isOpen { pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
  }

  override func didBecomeActive() { endOutputIfWanted() }

  /// The peer reads no more.
  final func outputWasLost(_ error: IOError) {
    if inputClosed { return super.close0(error: error, mode: .all, promise: nil) }
    failWrites(error)
    watchForWrites(false)
    if isOpen { pipeline.fireUserInboundEventTriggered(ChannelEvent.outputClosed) }
  }

  /// Ends the output if that was asked for and all writes have left. Before the connection is there, the
  /// system has none to end.
  private func endOutputIfWanted() {
    guard isLive, !outputClosed, case .wanted(let promise) = outputEnd, writes.isEmpty else { return }
    outputEnd = .done
    if inputClosed { return super.close0(error: ChannelError.outputClosed, mode: .all, promise: promise) }
    do { try endOutput() } catch {
      promise?.fail(error)
      return close0(error: error, mode: .all, promise: nil)
    }
    watchForWrites(false)
    promise?.succeed(())
    if isOpen { pipeline.fireUserInboundEventTriggered(ChannelEvent.outputClosed) }
  }

  // MARK: Connecting

  override func connect0(to address: SocketAddress, promise: EventLoopPromise<Void>?) {
    guard isOpen else { return promise.fail(.ioOnClosedChannel) }
    guard pendingConnect == nil else { return promise.fail(.connectPending) }
    guard state == .registered else { return promise.fail(.inappropriateOperationForState) }
    do {
      if try socket.startConnecting(to: address) {
        updateAddresses()
        return becomeActive(promise)
      }
      pendingConnect = promise ?? loop.makePromise()
      updateAddresses()
      guard makePoll() else { return }
      startConnectTimer()
      watchForWrites(true)
    } catch {
      pendingConnect = promise
      close0(error: error, mode: .all, promise: nil)
    }
  }

  private func startConnectTimer() {
    guard let connectTimeout else { return }
    connectTimer = loop.scheduleTask(in: connectTimeout) { [self] in
      guard pendingConnect != nil else { return }
      close0(error: ChannelError.connectTimeout(connectTimeout), mode: .all, promise: nil)
    }
  }

  override func finishConnecting() {
    connectTimer.take()?.cancel()
    super.finishConnecting()
  }

  // MARK: Options

  override func set<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws {
    switch option {
    case is ChannelOptions.Types.AllowRemoteHalfClosureOption: halfClosure = value as! Bool
    case is ChannelOptions.Types.ConnectTimeoutOption: connectTimeout = value as! TimeAmount?
    default: try super.set(option, value)
    }
  }

  override func get<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
    switch option {
    case is ChannelOptions.Types.AllowRemoteHalfClosureOption: halfClosure as! Option.Value
    case is ChannelOptions.Types.ConnectTimeoutOption: connectTimeout as! Option.Value
    default: try super.get(option)
    }
  }
}
#endif
