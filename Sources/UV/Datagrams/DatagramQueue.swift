import CUV

/// The datagrams that a UDP socket was asked to send and that the system hasn't taken yet.
///
/// A datagram leaves at once when nothing is before it. When the system has no room, libuv gets one datagram
/// at a time: if it sends several in one call and the first fails, it fails them all.
final class DatagramQueue: Cancelling {
  private struct Entry {
    let datagrams: [Datagram]
    /// The index of the first datagram that hasn't been sent.
    var index: Int
    var done: Completion<Void>?
    let generation: UInt
  }

  /// The socket; set once. Sound: it owns this.
  unowned(unsafe) var owner: UDPSocket!
  private let loop: EventLoop
  private var request: UnsafeMutablePointer<uv_udp_send_t>?
  private var entries = Queue<Entry>()
  /// Whether libuv has the first datagram.
  private var isSubmitted = false
  private var generation: UInt = 0
  private(set) var byteCount = 0
  private(set) var count = 0

  init(_ loop: EventLoop) { self.loop = loop }

  deinit { request?.deallocate() }

  func send(_ bytes: Bytes, to address: SocketAddress?, _ done: @escaping Completion<Void>) -> PendingRequest
  {
    let code = entries.isEmpty ? trySend(bytes, address) : UV_EAGAIN.rawValue
    if code == UV_EAGAIN.rawValue { return append([Datagram(bytes, to: address)], from: 0, done) }
    loop.complete(done, .send, min(code, 0))
    return PendingRequest()
  }

  func send(_ datagrams: [Datagram], _ done: @escaping Completion<Void>) -> PendingRequest {
    var index = 0
    while index < datagrams.count {
      let code = entries.isEmpty ? trySend(datagrams, from: index) : UV_EAGAIN.rawValue
      if code == UV_EAGAIN.rawValue { return append(datagrams, from: index, done) }
      if code < 0 {
        loop.complete(done, .send, code)
        return PendingRequest()
      }
      index += Int(code)
    }
    loop.complete(done, .send)
    return PendingRequest()
  }

  /// Sends one or more of the datagrams from `index` on: how many, or a libuv code.
  ///
  /// The first goes alone, so that libuv checks whether it needs an address. In a batch libuv leaves that to
  /// the system, which takes an address that a connected socket should not have.
  private func trySend(_ datagrams: [Datagram], from index: Int) -> Int32 {
    let first = datagrams[index]
    if index > 0, let send = loop.internals.newer.udpTrySend2, !owner.isClosing {
      let rest = datagrams[index...].prefix(CUV_UDP_BATCH)
        .prefix { ($0.address == nil) == (datagrams[0].address == nil) }
      if rest.count > 1 {
        let code = trySendBatch(rest, by: send)
        if code != 0 { return code }
      }
    }
    let code = trySend(first.bytes, first.address)
    return code < 0 ? code : 1
  }

  /// Sends as many of the datagrams as the system takes in one call: how many, or a libuv code. All of them
  /// have an address, or none has.
  private func trySendBatch(_ batch: ArraySlice<Datagram>, by send: cuv_udp_try_send2) -> Int32 {
    // One system call, but as much work for the system.
    _ = loop.spend(TurnBudget.systemCall * batch.count)
    return withUnsafeTemporaryAllocation(of: cuv_datagram.self, capacity: batch.count) { list in
      for (entry, datagram) in zip(list.indices, batch) {
        list.initializeElement(at: entry, to: cuv_datagram())
        cuv_buf_set(&list[entry].bytes, datagram.bytes.start, datagram.bytes.count)
        datagram.address.map(owner.reachable)?.withSockaddr { cuv_datagram_set_address(&list[entry], $0) }
      }
      return withExtendedLifetime(batch) {
        cuv_udp_send_batch(
          send, owner.udp, list.baseAddress!, UInt32(batch.count), batch.first!.address != nil)
      }
    }
  }

  /// Sends without waiting; 0 or more, or a libuv code.
  func trySend(_ bytes: Bytes, _ address: SocketAddress?) -> Int32 {
    if owner.isClosing { return owner.closedError("udp_send").code.rawValue }
    _ = loop.spend(TurnBudget.systemCall)
    return withBuffer(bytes) { buffer in
      guard let address else { return uv_udp_try_send(owner.udp, buffer, 1, nil) }
      return owner.reachable(address).withSockaddr { uv_udp_try_send(owner.udp, buffer, 1, $0) }
    }
  }

  private func append(_ datagrams: [Datagram], from index: Int, _ done: @escaping Completion<Void>)
    -> PendingRequest
  {
    loop.assertOnLoop()
    generation &+= 1
    entries.append(Entry(datagrams: datagrams, index: index, done: done, generation: generation))
    for datagram in datagrams[index...] {
      count += 1
      byteCount += datagram.bytes.count
    }
    if !isSubmitted { submit() }
    return PendingRequest(self, generation: generation)
  }

  /// Gives libuv the first datagram, which it sends when there is room.
  private func submit() {
    assert(!isSubmitted && !entries.isEmpty, "libuv has one datagram at a time")
    isSubmitted = true
    owner.keepAlive(.writing)
    let request = self.request ?? .allocate(capacity: 1)
    self.request = request
    let datagram = entries[0].datagrams[entries[0].index]
    let code = withBuffer(datagram.bytes) { buffer in
      guard let address = datagram.address else {
        return uv_udp_send(request, owner.udp, buffer, 1, nil, didSend)
      }
      return owner.reachable(address).withSockaddr { uv_udp_send(request, owner.udp, buffer, 1, $0, didSend) }
    }
    // Not from here, because the caller that sends is still on the stack.
    if code < 0 { loop.queueMicrotask { [self] in finish(code) } }
  }

  private func withBuffer(_ bytes: Bytes, _ body: (UnsafePointer<uv_buf_t>) -> Int32) -> Int32 {
    var buffer = uv_buf_t()
    cuv_buf_set(&buffer, bytes.start, bytes.count)
    return withExtendedLifetime(bytes) { body(&buffer) }
  }

  /// The first datagram has been sent, or has failed.
  fileprivate func finish(_ code: Int32) {
    isSubmitted = false
    guard !entries.isEmpty, !endFirst(code) else { return }
    // A completion may send more datagrams, and so have given libuv the first one.
    while !isSubmitted, let entry = entries.first {
      let code = trySend(entry.datagrams, from: entry.index)
      if code == UV_EAGAIN.rawValue { return submit() }
      if endFirst(min(code, 0), count: max(Int(code), 1)) { return }
    }
    if !isSubmitted { owner.letGo(.writing) }
  }

  /// Counts the first datagrams as sent, or the first one as failed. An error ends its whole request. Returns
  /// whether the socket is closing.
  private func endFirst(_ code: Int32, count sent: Int = 1) -> Bool {
    var entry = entries[0]
    let last = code < 0 ? entry.datagrams.count : entry.index + sent
    discount(entry.datagrams[entry.index..<last])
    entry.index = last
    if last < entry.datagrams.count {
      entries[0] = entry
    } else {
      _ = entries.popFirst()
      entry.done?(code < 0 ? .failure(failure(code, "udp_send")) : .success(()))
    }
    // The close of a socket answers the datagrams that are waiting.
    return owner.isClosing
  }

  private func discount(_ datagrams: ArraySlice<Datagram>) {
    for datagram in datagrams {
      count -= 1
      byteCount -= datagram.bytes.count
    }
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    guard let entry = entries.first(where: { $0.generation == generation }), entry.done != nil else {
      return nil
    }
    return Awaited(
      operation: "udp_send", subject: entry.datagrams[entry.index].address?.description, object: owner)
  }

  func cancel(slot: UInt, generation: UInt) {
    guard let index = entries.firstIndex(where: { $0.generation == generation }),
      let done = entries[index].done
    else { return }
    let entry = entries[index]
    if index == 0, isSubmitted {
      // libuv has the first datagram; those after it are taken back.
      discount(entry.datagrams[(entry.index + 1)...])
      entries[0] = Entry(
        datagrams: Array(entry.datagrams[...entry.index]), index: entry.index, done: nil,
        generation: generation)
    } else {
      discount(entry.datagrams[entry.index...])
      _ = entries.remove(at: index)
    }
    loop.queueMicrotask { done(.failure(failure(UV_ECANCELED.rawValue, "udp_send"))) }
  }

  /// libuv has ended its datagram by now; the others end here.
  func didClose() {
    let rest = entries.takeAll()
    (count, byteCount) = (0, 0)
    for entry in rest { entry.done?(.failure(failure(UV_ECANCELED.rawValue, "udp_send"))) }
  }
}

private func didSend(_ request: UnsafeMutablePointer<uv_udp_send_t>?, _ code: Int32) {
  let socket = owner(of: request!.pointee.handle, as: UDPSocket.self)
  let loop = socket.loop
  loop.callback { socket.queue.finish(code) }
}

/// A datagram that was received, or that you are about to send.
public struct Datagram: Hashable, Sendable {
  /// The bytes that it carries; there may be none.
  public var bytes: Bytes

  /// The sender of a received datagram, or the receiver of one that you send. Nil sends to the peer that the
  /// socket is connected to.
  public var address: SocketAddress?

  /// Whether the received datagram was longer than the buffer, so that its end is lost.
  public var isTruncated = false

  /// Creates a datagram to send.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that it carries.
  ///   - address: The receiver; nil for the peer that the socket is connected to.
  public init(_ bytes: Bytes, to address: SocketAddress? = nil) {
    self.bytes = bytes
    self.address = address
  }

  /// A datagram that was received.
  init(_ bytes: Bytes, from address: SocketAddress?, isTruncated: Bool) {
    self.bytes = bytes
    self.address = address
    self.isTruncated = isTruncated
  }
}
