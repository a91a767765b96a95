import CUV

/// A UDP socket: a source of datagrams, from which you can also send.
///
/// ```swift
/// let socket = try loop.udp.bind(port: 53)
/// for try await datagram in socket {
///   try await socket.send(answer(datagram.bytes), to: datagram.address).value
/// }
/// ```
///
/// The socket receives only while somebody asks. Other datagrams wait in the system, which drops them when
/// its buffer is full. An error, such as the refusal of a connected peer, goes to all readers that wait at that
/// time. It doesn't end the socket: you may ask again. The handler of `start` gets it and stays; a publisher
/// ends with it.
///
/// The corresponding libuv type is `uv_udp_t`.
public final class UDPSocket: SourceHandle<Datagram>, PassableHandle {
  let queue: DatagramQueue
  /// Whether it is a socket of IPv6; nil as long as nobody has asked.
  private var isIPv6: Bool?
  private var isReceiving = false
  /// Whether libuv is handing over the datagrams of one system call. It would drop the rest if it were asked
  /// to stop.
  private var isInBatch = false
  /// Datagrams that have been received but not asked for: the rest of a batch.
  private var received: [Datagram] = []

  var udp: UnsafeMutablePointer<uv_udp_t> { block.raw.assumingMemoryBound(to: uv_udp_t.self) }

  /// - Parameters:
  ///   - family: The kind of socket to make at once. If it is unspecified, binding makes the socket, or it is
  ///     somebody else's.
  ///   - isIPv6: Whether it is one of IPv6; nil if only its descriptor says so.
  init(
    loop: EventLoop, family: Int32 = AF_UNSPEC, options: UDP.Options = [], isIPv6: Bool? = nil
  ) throws(UVError) {
    queue = DatagramQueue(loop)
    self.isIPv6 = isIPv6
    let flags = options.intersection(.receiveInBatches).rawValue | UInt32(family)
    try super.init(loop: loop, "udp_recv", size: MemoryLayout<uv_udp_t>.size, "udp_init") { raw in
      uv_udp_init_ex(loop.raw, raw.assumingMemoryBound(to: uv_udp_t.self), flags)
    }
    queue.owner = self
  }

  /// The address as this socket takes it.
  func reachable(_ address: SocketAddress) -> SocketAddress {
    if address.isIPv6 { return address }
    let isIPv6 = isIPv6 ?? (try? fileDescriptor()).map { cuv_family($0) == AF_INET6 } ?? false
    self.isIPv6 = isIPv6
    return isIPv6 ? address.mapped : address
  }

  // MARK: Receiving

  override func startProducing() throws(UVError) {
    // Datagrams that have been received already are delivered first; see `deliverPending`.
    if received.isEmpty { try startReceiving() }
  }

  private func startReceiving() throws(UVError) {
    guard !isReceiving else { return }
    try check(uv_udp_recv_start(udp, allocateForDatagram, didReceive), "udp_recv")
    isReceiving = true
  }

  override func stopProducing() {
    guard isReceiving, !isInBatch else { return }
    isReceiving = false
    uv_udp_recv_stop(udp)
  }

  override var hasPending: Bool { !received.isEmpty }

  override func deliverPending() {
    var delivered = 0
    while delivered < received.count, source.hasDemand {
      delivered += 1
      source.deliver(received[delivered - 1])
    }
    received.removeFirst(delivered)
    guard received.isEmpty, source.hasDemand, !isClosing else { return }
    do throws(UVError) { try startReceiving() } catch { source.finish(error) }
  }

  fileprivate func receive(_ datagram: Datagram, isPartOfBatch: Bool) {
    loop.callback {
      if isPartOfBatch, !isInBatch {
        isInBatch = true
        keepAlive(.batch)
      }
      if received.isEmpty, source.hasDemand { source.deliver(datagram) } else { received.append(datagram) }
    }
    if !isPartOfBatch { source.pauseIfUnwanted() }
  }

  fileprivate func endBatch() {
    isInBatch = false
    if !isClosing {
      // The reader has asked in the middle of the batch.
      if source.hasDemand, !received.isEmpty {
        loop.callback { deliverPending() }
      }
      source.pauseIfUnwanted()
      if !source.isProducing { stopProducing() }
    }
    letGo(.batch)
  }

  fileprivate func fail(_ code: Int) {
    loop.callback { source.failEach(failure(code, "udp_recv")) }
    source.pauseIfUnwanted()
  }

  // MARK: Sending

  /// Sends a datagram. It leaves at once if the system has room for it, and otherwise as soon as it has, in
  /// order.
  ///
  /// - Parameters:
  ///   - bytes: The contents: at most 65,507 bytes over IPv4. They may be empty.
  ///   - address: The receiver; nil for the peer that the socket is connected to.
  /// - Returns: A request that ends when the system has taken the datagram. That doesn't mean that the
  ///   datagram arrives. The request fails with `messageTooLong`, `destinationRequired` (an address is
  ///   missing), `alreadyConnected` (there is an address too many), `permissionDenied` (a broadcast without
  ///   ``setBroadcast(_:)``), `badDescriptor` (the socket is closed), `connectionRefused`, …
  ///
  /// The corresponding libuv function is `uv_udp_send`.
  public func send(_ bytes: Bytes, to address: SocketAddress? = nil) -> Request<Void> {
    Request(of: loop) { [self] in send(bytes, to: address, $0) }
  }

  /// Sends a datagram; see ``send(_:to:)``.
  ///
  /// The corresponding libuv function is `uv_udp_send`.
  @discardableResult
  public func send(_ bytes: Bytes, to address: SocketAddress? = nil, _ done: @escaping Completion<Void>)
    -> PendingRequest
  {
    queue.send(bytes, to: address, done)
  }

  /// Sends several datagrams, one after the other.
  ///
  /// - Parameter datagrams: What to send, each with its receiver.
  /// - Returns: A request that ends when the system has taken all of them. If one fails, the request fails
  ///   with its error, and those after it aren't sent.
  ///
  /// The corresponding libuv function is `uv_udp_send`.
  public func send(_ datagrams: [Datagram]) -> Request<Void> {
    Request(of: loop) { [self] in send(datagrams, $0) }
  }

  /// Sends several datagrams; see ``send(_:)``.
  ///
  /// The corresponding libuv function is `uv_udp_send`.
  @discardableResult
  public func send(_ datagrams: [Datagram], _ done: @escaping Completion<Void>) -> PendingRequest {
    queue.send(datagrams, done)
  }

  /// Sends a datagram if the system takes it at once.
  ///
  /// - Returns: Whether it has been sent. False means that the system has no room, or that other datagrams
  ///   wait before it.
  /// - Throws: The errors with which ``send(_:to:)`` fails.
  ///
  /// The corresponding libuv function is `uv_udp_try_send`.
  public func trySend(_ bytes: Bytes, to address: SocketAddress? = nil) throws(UVError) -> Bool {
    let code = queue.count > 0 ? UV_EAGAIN.rawValue : queue.trySend(bytes, address)
    if code == UV_EAGAIN.rawValue { return false }
    try check(code, "udp_try_send")
    return true
  }

  /// How many bytes wait to be sent, in all datagrams together.
  ///
  /// The corresponding libuv function is `uv_udp_get_send_queue_size`.
  public var sendQueueSize: Int { queue.byteCount }

  /// How many datagrams wait to be sent.
  ///
  /// The corresponding libuv function is `uv_udp_get_send_queue_count`.
  public var sendQueueCount: Int { queue.count }

  // MARK: Closing

  override func didClose() {
    queue.didClose()
    received = []
    super.didClose()
  }
}

private func allocateForDatagram(
  _ handle: UnsafeMutablePointer<uv_handle_t>?, _: Int, _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
  let isBatch = uv_udp_using_recvmmsg(UnsafeRawPointer(handle!).assumingMemoryBound(to: uv_udp_t.self)) != 0
  HandleBlock(of: handle!).header.pointee.loop.datagramBuffer.reserve(buffer!, isBatch: isBatch)
}

private func didReceive(
  _ handle: UnsafeMutablePointer<uv_udp_t>?, _ count: Int, _ buffer: UnsafePointer<uv_buf_t>?,
  _ address: UnsafePointer<sockaddr>?, _ flags: UInt32
) {
  let socket = owner(of: handle!, as: UDPSocket.self)
  if flags & UV_UDP_MMSG_FREE.rawValue != 0 {
    // The batch has been handed over. Its memory belongs to the loop and stays.
    socket.endBatch()
  } else if count < 0 {
    socket.fail(count)
  } else if let address {
    // libuv hands over the rest of the batch even if the socket was closed in the middle of it.
    guard !socket.isClosing else { return }
    let bytes = Bytes(copying: UnsafeRawBufferPointer(start: buffer!.pointee.base, count: count))
    socket.receive(
      Datagram(
        bytes, from: SocketAddress(address), isTruncated: flags & UV_UDP_PARTIAL.rawValue != 0),
      isPartOfBatch: flags & UV_UDP_MMSG_CHUNK.rawValue != 0)
  }
  // If there is neither an address nor a byte, nothing has come yet.
}
