import CUV

/// The long bytes that a loop's streams have sent again and again, such as the pages of a server. The system gets a copy of them, to
/// which a socket refers. It would copy the process's own at each write.
struct RepeatedBytes {
  static let ofLoop = LoopLocal { _ in RepeatedBytesOfLoop() }

  /// A second call of the system costs as much as it saves of shorter ones, and the system seldom takes longer ones at once.
  static let lengths = 49_152...262_144
  /// How often bytes are sent before they get a copy.
  static let timesBeforeCopy = 16
  /// How many bytes are remembered.
  private static let most = 4
  /// A copy stays for so many sends of others.
  private static let patience = 1024

  private struct Entry {
    let start: UnsafePointer<UInt8>
    let count: Int
    var times = 0
    var lastUse = 0
    var copy: SystemCopy?
  }

  private var entries: [Entry] = []
  /// How many sends there have been.
  private var now = 0

  /// Notes that bytes are sent.
  ///
  /// - Returns: Their copy, if they have one.
  // Sound: nothing reads through `start`, which is compared. Where an entry has a copy, that holds the bytes, so that no others can
  // be at their place. Otherwise its number of times may count others, which does no harm: the copy is made of the bytes at hand.
  mutating func note(_ bytes: Bytes) -> SystemCopy? {
    now &+= 1
    guard let index = index(of: bytes) else { return nil }
    entries[index].times &+= 1
    entries[index].lastUse = now
    if entries[index].times == Self.timesBeforeCopy { entries[index].copy = SystemCopy(bytes) }
    return entries[index].copy
  }

  private mutating func index(of bytes: Bytes) -> Int? {
    if let index = entries.firstIndex(where: { $0.start == bytes.start && $0.count == bytes.count }) {
      return index
    }
    let entry = Entry(start: bytes.start, count: bytes.count)
    if entries.count < Self.most {
      entries.append(entry)
      return entries.count - 1
    }
    let candidates = entries.indices.filter {
      entries[$0].copy == nil || now - entries[$0].lastUse > Self.patience
    }
    guard let oldest = candidates.min(by: { entries[$0].lastUse < entries[$1].lastUse }) else { return nil }
    entries[oldest] = entry
    return oldest
  }
}

final class RepeatedBytesOfLoop {
  var bytes = RepeatedBytes()
}

/// A copy of bytes in a file that has no name and stays in memory. Nothing changes it, so what the system still has to send of it stays
/// the same when this has gone.
final class SystemCopy {
  let bytes: Bytes
  let descriptor: Int32

  /// Nil if the system can't make one.
  init?(_ bytes: Bytes) {
    descriptor = cuv_memory_file(bytes.start, bytes.count)
    if descriptor < 0 { return nil }
    self.bytes = bytes
  }

  deinit { _ = close(descriptor) }
}

extension ByteStream {
  /// Writes a head and a body, which may have been written many times before; see ``write(_:_:)-([Bytes],_)``. The system
  /// then takes the body from a copy of its own.
  @discardableResult
  package func write(
    _ head: Bytes, thenRepeated body: Bytes, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    guard let copy = systemCopy(of: body) else { return write([head, body], done) }
    return begin(head.count + body.count, done) {
      offer(head, copy)
    } wait: {
      writes.wait([head, body], after: $0, .callback(done))
    }
  }

  private func systemCopy(of bytes: Bytes) -> SystemCopy? {
    guard RepeatedBytes.lengths ~= bytes.count, !isFiltered, cuv_handle_type(block.handle) == UV_TCP else {
      return nil
    }
    return RepeatedBytes.ofLoop[loop].bytes.note(bytes)
  }

  /// Offers the system a head and a body that it has a copy of; see ``offer(_:)-(Bytes)``.
  private func offer(_ head: Bytes, _ copy: SystemCopy) -> Int {
    let taken = taken(
      withExtendedLifetime(copy) {
        cuv_try_send_file(stream, head.start, head.count, copy.descriptor, copy.bytes.count)
      })
    _ = loop.spend(2 &* TurnBudget.systemCall &+ taken >> 10)
    return taken
  }
}
