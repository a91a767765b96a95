#if NIO || NIOBootstraps || Everything
import NIOCore
import UV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// The datagrams of one system call, with their addresses and control messages. Each loop has one, for the
/// time of a call.
final class DatagramBatch {
  /// The most datagrams of one call.
  static let capacity = 64

  /// Linux's `mmsghdr`.
  private struct Message {
    var header = msghdr()
    var count: UInt32 = 0
  }

  // Sound: the batch owns this memory, and the pointers in the messages are into it, or valid for the time of
  // the call.
  private let messages = UnsafeMutablePointer<Message>.allocate(capacity: capacity)
  private let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: capacity)
  private let names = UnsafeMutablePointer<sockaddr_storage>.allocate(capacity: capacity)
  private let lists = UnsafeMutableRawPointer.allocate(
    byteCount: capacity * ControlMessages.room, alignment: MemoryLayout<cmsghdr>.alignment)

  init() {
    messages.initialize(repeating: Message(), count: Self.capacity)
    vectors.initialize(repeating: iovec(), count: Self.capacity)
    names.initialize(repeating: sockaddr_storage(), count: Self.capacity)
  }

  deinit {
    messages.deallocate()
    vectors.deallocate()
    names.deallocate()
    lists.deallocate()
  }

  private func list(_ index: Int) -> UnsafeMutableRawPointer { lists + index * ControlMessages.room }

  private func prepare(_ index: Int, _ bytes: UnsafeRawBufferPointer, name: Int, list: Int) {
    vectors[index] = iovec(
      iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    var header = msghdr()
    header.msg_name = name == 0 ? nil : UnsafeMutableRawPointer(names + index)
    header.msg_namelen = socklen_t(name)
    header.msg_iov = vectors + index
    header.msg_iovlen = 1
    header.msg_control = list == 0 ? nil : self.list(index)
    header.msg_controllen = numericCast(list)
    messages[index].header = header
  }

  // MARK: Receiving

  /// Receives the datagrams that have come, each into a piece of the memory. Longer ones are cut.
  ///
  /// - Returns: How many have come; nil if none has.
  func receive(
    from socket: Socket, into memory: UnsafeMutableRawBufferPointer, pieces: Int, wantsMetadata: Bool
  ) throws -> Int? {
    let size = memory.count / pieces
    for index in 0..<pieces {
      prepare(
        index, UnsafeRawBufferPointer(rebasing: memory[(index * size)..<((index + 1) * size)]),
        name: MemoryLayout<sockaddr_storage>.size, list: wantsMetadata ? ControlMessages.room : 0)
    }
    let count = SystemSocket.receive(socket.descriptor, messages, count: pieces)
    if count == -EAGAIN { return nil }
    if count < 0 { throw Socket.error("recvmsg", -count) }
    return Int(count)
  }

  /// How many bytes a datagram that has come has.
  func size(_ index: Int) -> Int { Int(messages[index].count) }

  /// The sender of a datagram that has come. One over a Unix socket without a name has an empty path.
  func sender(_ index: Int) throws -> NIOCore.SocketAddress {
    if messages[index].header.msg_namelen == 0 { return try NIOCore.SocketAddress(unixDomainSocketPath: "") }
    guard let address = NIOCore.SocketAddress(names[index]) else { throw SocketAddressError.unsupported }
    return address
  }

  func metadata(_ index: Int) -> ControlMessages.Metadata {
    ControlMessages.read(
      UnsafeRawBufferPointer(start: list(index), count: Int(messages[index].header.msg_controllen)))
  }

  // MARK: Sending

  /// Adds a datagram that is to be sent.
  ///
  /// - Parameters:
  ///   - address: The peer that it is for; nil if the socket is connected.
  ///   - family: An address of the socket's family.
  func add(
    _ index: Int, _ bytes: UnsafeRawBufferPointer, to address: NIOCore.SocketAddress?,
    _ metadata: ControlMessages.Metadata?, family: NIOCore.SocketAddress?
  ) {
    var name = 0
    address?.withSockAddr { pointer, size in
      name = min(size, MemoryLayout<sockaddr_storage>.size)
      UnsafeMutableRawPointer(names + index).copyMemory(from: pointer, byteCount: name)
    }
    let list = metadata.map { ControlMessages.write($0, for: family, to: self.list(index)) }
    prepare(index, bytes, name: name, list: list ?? 0)
  }

  /// Sends the datagrams that were added.
  ///
  /// - Returns: How many the system has taken; nil if it has no room.
  /// - Throws: Why the first one can't be sent.
  func send(_ count: Int, to socket: Socket) throws -> Int? {
    let sent = SystemSocket.send(socket.descriptor, messages, count: count)
    if sent == -EAGAIN { return nil }
    if sent < 0 { throw Socket.error("sendmsg", -sent) }
    return Int(sent)
  }
}
#endif
