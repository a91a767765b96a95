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

/// A socket for datagrams.
// Sound: as its superclass.
final class DatagramChannel: WritingChannel, @unchecked Sendable {
  private var writes = PendingDatagrams()
  /// The peer that the socket is connected to.
  private var peer: SocketAddress?
  /// The facts that the system is asked to report of each datagram besides its bytes and its sender.
  var wanted: WantedMetadata = []
  /// How many datagrams one system call may bring; 0 for one at a time.
  var vectorCount = 0

  init(_ socket: Socket, _ loop: UVEventLoop) {
    super.init(socket, loop, parent: nil)
    receiver = NIOPooledRecvBufferAllocator(
      capacity: 4, recvAllocator: FixedSizeRecvByteBufferAllocator(capacity: 2048))
  }

  override var noticesEnd: Bool { false }
  override var outlivesErrors: Bool { true }
  override var hasFlushedWrites: Bool { writes.hasFlushed }
  override var heldByteCount: Int { writes.byteCount }

  override func set<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws {
    if try !setOwn(option, value) { try super.set(option, value) }
  }

  override func get<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
    try getOwn(option) ?? super.get(option)
  }

  // MARK: Beginning

  override func bind0(to address: SocketAddress, promise: EventLoopPromise<Void>?) {
    guard isOpen else { return promise.fail(.ioOnClosedChannel) }
    guard isRegistered else { return promise.fail(.inappropriateOperationForState) }
    do {
      try socket.assign(address)
      updateAddresses()
    } catch {
      promise?.fail(error)
      return
    }
    if isLive { promise?.succeed(()) } else { becomeActive(promise) }
  }

  /// Connects the socket, or connects it to somebody else. Writes that wait were for other peers, and fail.
  override func connect0(to address: SocketAddress, promise: EventLoopPromise<Void>?) {
    guard isOpen else { return promise.fail(.ioOnClosedChannel) }
    guard isRegistered else { return promise.fail(.inappropriateOperationForState) }
    do {
      _ = try socket.startConnecting(to: address)
    } catch {
      promise?.fail(error)
      return
    }
    updateAddresses()
    peer = remoteAddress ?? address
    failAll(Socket.error("connect: the datagram was for another peer", EISCONN))
    guard isOpen else { return promise.fail(.ioOnClosedChannel) }
    noteTakenWrites()
    reportWritability()
    if isLive { promise?.succeed(()) } else if isOpen { becomeActive(promise) }
  }

  /// Begins with a socket that is bound already, and perhaps connected.
  func begin(_ promise: EventLoopPromise<Void>) {
    updateAddresses()
    peer = remoteAddress
    registerAlreadyConfigured0(promise: promise)
  }

  // MARK: Reading

  override func readFromSocket() throws -> Bool {
    var hasRead = false
    for _ in 0..<maxMessagesPerRead {
      guard isOpen else { throw ChannelError.eof }
      guard try receive() else { break }
      hasRead = true
    }
    return hasRead
  }

  /// Makes one call. Returns whether something has come.
  private func receive() throws -> Bool {
    let (socket, batch) = (socket, loop.datagrams)
    let (pieces, wantsMetadata) = (max(1, min(vectorCount, DatagramBatch.capacity)), !wanted.isEmpty)
    var room = 0
    let (buffer, count) = try receiver.buffer(allocator: bufferAllocator) { buffer in
      room = buffer.writableBytes / pieces
      let count = try buffer.withUnsafeMutableWritableBytes { memory in
        try batch.receive(from: socket, into: memory, pieces: pieces, wantsMetadata: wantsMetadata)
      }
      guard let count else { return Int?.none }
      // Datagrams are slices of it, each from the beginning of its piece.
      buffer.moveWriterIndex(forwardBy: (count - 1) * room + batch.size(count - 1))
      return count
    }
    guard let count else { return false }
    reading.note(isAsked: false)
    if count == 1 {
      receiver.record(actualReadBytes: buffer.readableBytes)
      pipeline.syncOperations.fireChannelRead(NIOAny(try envelope(0, buffer, batch)))
      return true
    }
    // Handlers may read again, which uses the batch.
    let envelopes = try (0..<count).map { index in
      try envelope(index, buffer.getSlice(at: index * room, length: batch.size(index))!, batch)
    }
    receiver.record(actualReadBytes: envelopes.reduce(0) { $0 + $1.data.readableBytes })
    for envelope in envelopes where isOpen { pipeline.syncOperations.fireChannelRead(NIOAny(envelope)) }
    return true
  }

  private func envelope(
    _ index: Int, _ bytes: ByteBuffer, _ batch: DatagramBatch
  ) throws -> AddressedEnvelope<ByteBuffer> {
    AddressedEnvelope(
      remoteAddress: try batch.sender(index), data: bytes,
      metadata: wanted.isEmpty ? nil : batch.metadata(index))
  }

  /// A peer that isn't there, or no memory for a datagram, is no reason to end.
  override func endsChannel(_ error: any Error) -> Bool {
    guard let error = error as? IOError else { return true }
    return error.errnoCode != ECONNREFUSED && error.errnoCode != ENOMEM
  }

  // MARK: Writing

  override func add(_ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
    if let envelope = tryUnwrapData(data, as: AddressedEnvelope<ByteBuffer>.self) {
      if let peer, peer != envelope.remoteAddress {
        let error = DatagramChannelError.WriteOnConnectedSocketWithInvalidAddress(
          envelopeRemoteAddress: envelope.remoteAddress, connectedRemoteAddress: peer)
        promise?.fail(error)
        return
      }
      #if !os(Linux)
      if envelope.metadata?.segmentSize != nil { return promise.fail(.operationUnsupported) }
      #endif
      writes.append(envelope.data, to: peer == nil ? envelope.remoteAddress : nil, envelope.metadata, promise)
    } else if let bytes = tryUnwrapData(data, as: ByteBuffer.self) {
      if peer == nil {
        promise?.fail(DatagramChannelError.WriteOnUnconnectedSocketWithoutAddress())
        return
      }
      writes.append(bytes, to: nil, nil, promise)
    } else {
      return promise.fail(.operationUnsupported)
    }
    noteAddedWrite()
  }

  override func markFlush() { writes.markFlush() }

  override func writeToSocket() throws -> Bool {
    var hasRoom = true
    while hasRoom, isOpen, writes.hasFlushed {
      guard flushing == .yes else {
        hasRoom = false
        break
      }
      do {
        if let count = try writes.offer(to: socket, loop.datagrams, family: localAddress) {
          if loop.payForDatagrams(count) { flushing = .ends }
          var done = FinishedWrites()
          for _ in 0..<count { done.append(writes.takeFirst()) }
          noteTakenWrites()
          done.succeed()
        } else {
          hasRoom = false
        }
      } catch {
        let failure = try failureOfOne(error)
        if loop.payForDatagrams(1) { flushing = .ends }
        let promise = writes.takeFirst()
        noteTakenWrites()
        promise?.fail(failure)
      }
    }
    reportWritability()
    return hasRoom
  }

  /// The error of a datagram that can't be sent, although the next one can.
  private func failureOfOne(_ error: any Error) throws -> any Error {
    switch (error as? IOError)?.errnoCode {
    case EMSGSIZE: return ChannelError.writeMessageTooLarge
    case EHOSTUNREACH: return ChannelError.writeHostUnreachable
    default:
      if endsChannel(error) { throw error }
      return error
    }
  }

  override func failWrites(_ error: any Error) { failAll(error) }

  private func failAll(_ error: any Error) {
    var lost = FinishedWrites()
    writes.takeAll(&lost)
    lost.fail(error)
  }
}
#endif
