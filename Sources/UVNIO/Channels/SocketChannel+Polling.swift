#if NIO || NIOBootstraps || Everything
import NIOCore
import UV

/// The channel's answers to its poll: it reads and writes.
extension SocketChannel {
  func descriptorIsReady(for events: PollEvents, hasError: Bool) {
    loop.assertInEventLoop()
    guard isOpen else { return }
    if hasError { return socketFailed() }
    if events.contains(.writable) { becameWritable() }
    guard isOpen else { return }
    if events == .prioritized { return socketMayBeLost() }
    if events.contains(.disconnect) { peerEnded() } else if events.contains(.readable) { becameReadable() }
  }

  func updatePoll() {
    loop.assertInEventLoop()
    let events: PollEvents
    switch polling {
    case .none, .ended: return
    // The system reports a loss whatever is asked for, but only if something is.
    case .whole: events = interest.isEmpty && isLive && noticesLoss ? .prioritized : interest
    case .withoutLoss: events = interest
    }
    do { try watch(for: events) } catch { pollFailed(error) }
  }

  /// Closes the channel, since the system can't watch its socket.
  func pollFailed(_ error: UVError, _ promise: EventLoopPromise<Void>? = nil) {
    let error = IOError(errnoCode: -error.code.rawValue, reason: error.operation)
    pipeline.syncOperations.fireErrorCaught(error)
    promise?.fail(error)
    close0(error: error, mode: .all, promise: nil)
  }

  func watchForWrites(_ isWanted: Bool) {
    if interest.contains(.writable) == isWanted { return }
    interest.set(.writable, isWanted)
    updatePoll()
  }

  /// Doesn't watch for what the peer sends, nor for its end.
  func stopReading() {
    reading.note(isAsked: false)
    interest.subtract([.readable, .disconnect])
    updatePoll()
  }

  /// The system reports an error on the socket, or has refused a connection.
  private func socketFailed() {
    if pendingConnect != nil { return finishConnecting() }
    if outlivesErrors { return reportError() }
    // The bytes that came before the error are for the handlers.
    interest.remove(.disconnect)
    readToEnd()
    guard isOpen else { return }
    close0(error: socket.takeFailure(), mode: .all, promise: nil)
  }

  /// Notifies the handlers of an error that came for something sent before. libuv has stopped the poll.
  private func reportError() {
    let code = socket.takeError()
    if code != 0 {
      let error = Socket.error("poll", code)
      pipeline.syncOperations.fireErrorCaught(error)
      if isOpen, endsChannel(error) { close0(error: error, mode: .all, promise: nil) }
    }
    updatePoll()
  }

  /// The connection is lost in both directions, or the peer has sent urgent data, which nobody reads.
  private func socketMayBeLost() {
    if socket.isLost { return socketFailed() }
    polling = .withoutLoss
    updatePoll()
  }

  // MARK: Writing

  private func becameWritable() {
    if pendingConnect != nil { finishConnecting() } else { flushNow() }
  }

  func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isOpen else { return promise.fail(.ioOnClosedChannel) }
    add(data, promise)
  }

  func flush0() {
    guard isOpen else { return }
    markFlush()
    // If the system has no room, it will say when it has.
    if isLive, !interest.contains(.writable) { flushNow() }
  }

  /// Offers the system what was flushed, and what handlers flush meanwhile because there is room. If they go
  /// on for longer than the turn has a budget for, the rest waits until the poll says again that there is
  /// room, and others have had their turn. A flush that begins is tried at once, unless so many have been
  /// that each may have come from the one before.
  func flushNow() {
    guard flushing == .no, isLive else { return }
    flushing = loop.hasOverdrawnTurn ? .ends : .yes
    var hasRoom = true
    do {
      while hasRoom, isOpen, hasFlushedWrites { hasRoom = try flushing == .yes && writeToSocket() }
    } catch {
      // Still flushing: what handlers write meanwhile would fail just so.
      writeFailed(error)
    }
    flushing = .no
    if isOpen { watchForWrites(!hasRoom) }
  }

  /// The peer may have said why it has gone, and the handlers get that first.
  private func writeFailed(_ error: any Error) {
    guard isOpen else { return }
    if state == .active, reading.isAsked || autoRead, !isInputClosed {
      var hasRead = false
      while isOpen, (try? readFromSocket()) == true { hasRead = true }
      if hasRead, state == .active { pipeline.syncOperations.fireChannelReadComplete() }
    }
    if isOpen { close0(error: error, mode: .all, promise: nil) }
  }

  // MARK: Reading

  func read0() {
    guard isOpen, !isInputClosed else { return }
    reading.note(isAsked: true)
    if interest.contains(.readable) || reading.isResting || !isLive { return }
    interest.insert(.readable)
    updatePoll()
  }

  /// Leaves the socket alone until ``goOn()``.
  func rest() {
    reading.rest()
    interest.remove(.readable)
    updatePoll()
  }

  /// Goes on with what was asked for.
  func goOn() {
    reading.goOn()
    interest.set(.readable, reading.isAsked)
    updatePoll()
  }

  func pauseReading() {
    reading.note(isAsked: false)
    guard interest.contains(.readable) else { return }
    interest.remove(.readable)
    updatePoll()
  }

  func readIfNeeded() {
    if state == .active, !reading.isAsked, autoRead, !isInputClosed { pipeline.syncOperations.read() }
  }

  private func becameReadable() {
    if reading.isAsked { _ = readOnce() } else { pauseReading() }
  }

  private enum ReadOutcome { case more, nothing, end }

  private func peerEnded() {
    interest.remove(.disconnect)
    readToEnd()
    // If that wasn't all, the rest is read when it comes.
    if isOpen { updatePoll() }
  }

  private func readToEnd() {
    while state == .active, !isInputClosed {
      switch readOnce() {
      case .more: continue
      case .nothing:
        interest.insert(.readable)
        reading.note(isAsked: true)
        return
      case .end: return
      }
    }
  }

  private func readOnce() -> ReadOutcome {
    guard state == .active else { return .end }
    var isOver = false
    do {
      guard try readFromSocket() else { return .nothing }
    } catch ChannelError.eof {
      readEnd()
      return .end
    } catch {
      pipeline.syncOperations.fireErrorCaught(error)
      guard isOpen else { return .end }
      if endsChannel(error) {
        close0(error: error, mode: .all, promise: nil)
        return .end
      }
      // There is no more for now. The channel may rest.
      isOver = true
    }
    if state == .active { pipeline.syncOperations.fireChannelReadComplete() }
    readIfNeeded()
    return isOpen && !isOver ? .more : .end
  }

  private func readEnd() {
    guard state == .active else { return }
    pipeline.syncOperations.fireChannelReadComplete()
    guard isOpen else { return }
    close0(error: ChannelError.eof, mode: allowsHalfClosure ? .input : .all, promise: nil)
  }
}
#endif
