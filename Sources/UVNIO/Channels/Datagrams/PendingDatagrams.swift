#if NIO || NIOBootstraps || Everything
import NIOCore

/// The datagrams that the system hasn't taken, in order, with a mark behind the last that was flushed.
struct PendingDatagrams {
  private struct Entry {
    let bytes: ByteBuffer
    let address: SocketAddress?
    let metadata: ControlMessages.Metadata?
    let promise: EventLoopPromise<Void>?
  }

  private var entries = MarkedCircularBuffer<Entry>(initialCapacity: 16)
  /// How many bytes are held, flushed or not.
  private(set) var byteCount = 0

  var isEmpty: Bool { entries.isEmpty }
  var hasFlushed: Bool { entries.hasMark }

  /// - Parameter address: The peer that it is for; nil if the socket is connected.
  mutating func append(
    _ bytes: ByteBuffer, to address: SocketAddress?, _ metadata: ControlMessages.Metadata?,
    _ promise: EventLoopPromise<Void>?
  ) {
    byteCount += bytes.readableBytes
    entries.append(Entry(bytes: bytes, address: address, metadata: metadata, promise: promise))
  }

  mutating func markFlush() { entries.mark() }

  /// Offers the system as many as go into one call.
  ///
  /// - Parameter family: An address of the socket's family.
  /// - Returns: How many it has taken; nil if it has no room.
  /// - Throws: Why the first one can't be sent.
  func offer(to socket: Socket, _ batch: DatagramBatch, family: SocketAddress?) throws -> Int? {
    var count = 0
    var index = entries.startIndex
    while count < DatagramBatch.capacity {
      let entry = entries[index]
      // Sound: the entry keeps the buffer's storage, and nothing changes the entries before the call has
      // returned.
      let bytes = entry.bytes.withUnsafeReadableBytes { $0 }
      batch.add(count, bytes, to: entry.address, entry.metadata, family: family)
      count += 1
      if entries.isMarked(index: index) { break }
      index = entries.index(after: index)
    }
    return try batch.send(count, to: socket)
  }

  /// Takes out the first one.
  mutating func takeFirst() -> EventLoopPromise<Void>? {
    let entry = entries.removeFirst()
    byteCount -= entry.bytes.readableBytes
    return entry.promise
  }

  /// Takes out everything.
  mutating func takeAll(_ done: inout FinishedWrites) {
    byteCount = 0
    while let entry = entries.popFirst() { done.append(entry.promise) }
  }
}
#endif
