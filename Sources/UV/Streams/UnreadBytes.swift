/// The bytes of a stream that have been read, and that no reader has taken.
///
/// They are a tail, which is a part of what was read last and shares its memory, and before it a head in
/// memory of its own. There is a head only if a frame began in one read and goes on in the next. So a frame
/// that came in one read is a slice, and one that came in several is put together once.
struct UnreadBytes {
  /// Reads go straight into a frame's memory if that lacks at least this much.
  static let leastDirectRead = 16384

  private var tail: ByteStorage?
  private(set) var tailStart: UnsafePointer<UInt8>
  private(set) var tailCount = 0
  private var head: ByteStorage?
  private(set) var headStart: UnsafeMutablePointer<UInt8>
  private(set) var headCount = 0
  /// How many bytes there is memory for from `headStart` on.
  private var headCapacity = 0
  /// How many bytes of the head don't contain the end of the frame that the reader waits for.
  var searchedCount = 0
  /// How many bytes of a frame that the reader waits for have been dropped already.
  var skippedCount = 0

  init() {
    tailStart = Bytes().start
    headStart = UnsafeMutablePointer(mutating: tailStart)
  }

  var count: Int { headCount + tailCount }

  var isEmpty: Bool {
    @inline(__always) get { headCount == 0 && tailCount == 0 }
  }

  /// Adds bytes that have been read.
  mutating func append(_ bytes: Bytes) {
    if bytes.isEmpty { return }
    if tailCount > 0 { moveTailToHead(tailCount, capacity: 2 * count) }
    tail = bytes.storage
    tailStart = bytes.start
    tailCount = bytes.count
  }

  // MARK: Taking

  /// Takes the first bytes, and drops as many after them. All of them are in the tail, or all are in the
  /// head.
  @inline(__always)
  mutating func take(_ count: Int, dropping dropped: Int = 0) -> Bytes {
    headCount == 0 ? takeTail(count, dropping: dropped) : takeHead(count, dropping: dropped)
  }

  @inline(__always)
  private mutating func takeTail(_ count: Int, dropping dropped: Int) -> Bytes {
    let bytes = Bytes(storage: tail, start: tailStart, count: count)
    dropTail(count + dropped)
    return bytes
  }

  @inline(__always)
  private mutating func dropTail(_ count: Int) {
    tailStart += count
    tailCount -= count
    if tailCount == 0 { tail = nil }
  }

  private mutating func takeHead(_ count: Int, dropping dropped: Int) -> Bytes {
    let bytes = Bytes(storage: head, start: UnsafePointer(headStart), count: count)
    headStart += count + dropped
    headCount -= count + dropped
    headCapacity -= count + dropped
    searchedCount = 0
    if headCount == 0 { releaseHead() }
    return bytes
  }

  /// Takes all of the head and the first bytes of the tail, and drops as many after them.
  mutating func takeHead(andTail count: Int, dropping dropped: Int) -> Bytes {
    if count > 0 { moveTailToHead(count, capacity: headCount + count) }
    dropTail(dropped)
    return takeHead(headCount, dropping: 0)
  }

  /// Takes all of the head but for its last bytes, and drops those and the first of the tail.
  mutating func takeHead(dropping last: Int, andTail count: Int) -> Bytes {
    dropTail(count)
    return takeHead(headCount - last, dropping: last)
  }

  /// The first bytes, which stay. They are put together if they aren't.
  mutating func look(at count: Int) -> Bytes {
    if headCount == 0 { return Bytes(storage: tail, start: tailStart, count: count) }
    if headCount < count { moveTailToHead(count - headCount, capacity: count) }
    return Bytes(storage: head, start: UnsafePointer(headStart), count: count)
  }

  /// Drops the first bytes, of the head and then of the tail.
  mutating func drop(_ count: Int) {
    let inHead = min(count, headCount)
    if inHead > 0 { _ = takeHead(inHead, dropping: 0) }
    if count > inHead { dropTail(count - inHead) }
  }

  /// Drops everything.
  mutating func removeAll() {
    tail = nil
    tailCount = 0
    releaseHead()
  }

  private mutating func releaseHead() {
    head = nil
    headCount = 0
    headCapacity = 0
    searchedCount = 0
  }

  // MARK: Waiting for more

  /// Makes ready for bytes to come that belong to what is here. So these don't keep what was read with them.
  ///
  /// - Parameters:
  ///   - capacity: How many bytes there will be in all, if that is known.
  ///   - limit: How many there can be in all.
  mutating func awaitMore(capacity: Int?, limit: Int) {
    if let capacity, capacity - count >= Self.leastDirectRead { makeRoom(capacity: capacity) }
    guard tailCount > 0 else { return }
    moveTailToHead(tailCount, capacity: capacity ?? min(max(2 * count, 256), limit))
  }

  /// Where to read to, so that what is read follows the head; nil if it should be read elsewhere.
  func room(upTo limit: Int) -> UnsafeMutableBufferPointer<UInt8>? {
    let room = min(headCapacity, limit) - headCount
    guard room >= Self.leastDirectRead else { return nil }
    return UnsafeMutableBufferPointer(start: headStart + headCount, count: room)
  }

  /// Notes that bytes have been read to that place.
  mutating func didReadInPlace(_ count: Int) { headCount += count }

  // MARK: The head's memory

  private mutating func moveTailToHead(_ count: Int, capacity: Int) {
    makeRoom(capacity: max(capacity, headCount + count))
    (headStart + headCount).update(from: tailStart, count: count)
    headCount += count
    dropTail(count)
  }

  /// Makes room for as many bytes in the head. Sound: bytes behind the head are covered by no `Bytes`.
  private mutating func makeRoom(capacity: Int) {
    if capacity <= headCapacity { return }
    let storage = ByteStorage.create(capacity: capacity)
    storage.base.update(from: headStart, count: headCount)
    head = storage
    headStart = storage.base
    headCapacity = capacity
  }
}
