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

/// The writes to a stream channel that the system hasn't taken, in order, with a mark behind the last that
/// was flushed.
struct PendingWrites {
  private struct Entry {
    var data: IOData
    let promise: EventLoopPromise<Void>?
  }

  private var entries = MarkedCircularBuffer<Entry>(initialCapacity: 16)
  /// How many bytes are held, flushed or not.
  private(set) var byteCount = 0

  /// The most buffers that one system call takes.
  private static let mostBuffers = 1024
  /// A call that was asked for more would fail on some systems.
  private static let mostBytes = Int(Int32.max)

  var isEmpty: Bool { entries.isEmpty }
  var hasFlushed: Bool { entries.hasMark }

  mutating func append(_ data: IOData, _ promise: EventLoopPromise<Void>?) {
    byteCount += data.readableBytes
    entries.append(Entry(data: data, promise: promise))
  }

  mutating func markFlush() { entries.mark() }

  /// Offers the system what it can take in one call: the part of a file that comes first, or the buffers
  /// before the next file.
  ///
  /// - Returns: How many bytes it has taken; nil if it has no room.
  func offer(to socket: Socket) throws -> Int? {
    guard let first = entries.first else { return nil }
    switch first.data {
    case .fileRegion(let region):
      if region.readableBytes == 0 { return 0 }
      let count = try region.fileHandle.withUnsafeFileDescriptor { file in
        try socket.transmitFile(file, from: region.readerIndex, count: region.readableBytes)
      }
      // Without this the rest would be offered for ever.
      if count == 0 { throw Socket.error("sendfile: the file is shorter than its region", EINVAL) }
      return count
    case .byteBuffer(let buffer):
      guard flushedCount > 1 else {
        return try buffer.withUnsafeReadableBytes { $0.isEmpty ? 0 : try socket.transmit($0) }
      }
      return try offerBuffers(to: socket)
    }
  }

  private var flushedCount: Int {
    guard let mark = entries.markedElementIndex else { return 0 }
    return entries.distance(from: entries.startIndex, to: mark) + 1
  }

  private func offerBuffers(to socket: Socket) throws -> Int? {
    let most = min(flushedCount, Self.mostBuffers)
    assert(most > 1 && most <= entries.count)
    return try withUnsafeTemporaryAllocation(of: iovec.self, capacity: most) { vectors in
      var (count, bytes) = (0, 0)
      var index = entries.startIndex
      while count < most, case .byteBuffer(let buffer) = entries[index].data, bytes < Self.mostBytes {
        // Sound: the entry keeps the buffer's storage, and nothing changes the entries before the call has
        // returned.
        let pointer = buffer.withUnsafeReadableBytes { $0 }
        let size = min(pointer.count, Self.mostBytes - bytes)
        vectors[count] = iovec(
          iov_base: UnsafeMutableRawPointer(mutating: pointer.baseAddress), iov_len: size)
        count += 1
        bytes += size
        index = entries.index(after: index)
      }
      return bytes == 0 ? 0 : try socket.transmit(UnsafeBufferPointer(rebasing: vectors[..<count]))
    }
  }

  /// Takes out what the system has taken.
  ///
  /// - Parameters:
  ///   - count: How many bytes it has taken.
  ///   - done: Gets the promises of the writes that have left completely. They must be completed when this has
  ///     returned, because that runs code which may write.
  mutating func take(_ count: Int, _ done: inout FinishedWrites) {
    assert(0...byteCount ~= count, "the system has taken what it wasn't offered")
    var rest = count
    byteCount -= count
    while entries.hasMark {
      let size = entries[entries.startIndex].data.readableBytes
      if size > rest {
        if rest > 0 { entries[entries.startIndex].data.skip(rest) }
        return
      }
      // An empty write has left with the one before it.
      rest -= size
      done.append(entries.removeFirst().promise)
    }
  }

  /// Takes out everything.
  mutating func takeAll(_ done: inout FinishedWrites) {
    byteCount = 0
    while let entry = entries.popFirst() { done.append(entry.promise) }
  }
}

/// Promises of writes, in order. Up to one needs no memory.
struct FinishedWrites {
  private var first: EventLoopPromise<Void>?
  private var others: [EventLoopPromise<Void>] = []

  mutating func append(_ promise: EventLoopPromise<Void>?) {
    guard let promise else { return }
    if first == nil { first = promise } else { others.append(promise) }
  }

  func succeed() {
    first?.succeed(())
    for promise in others { promise.succeed(()) }
  }

  func fail(_ error: any Error) {
    first?.fail(error)
    for promise in others { promise.fail(error) }
  }
}

extension IOData {
  fileprivate mutating func skip(_ count: Int) {
    switch self {
    case .byteBuffer(var buffer):
      buffer.moveReaderIndex(forwardBy: count)
      self = .byteBuffer(buffer)
    case .fileRegion(var region):
      region.moveReaderIndex(forwardBy: count)
      self = .fileRegion(region)
    }
  }
}
#endif
