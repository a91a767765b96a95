/// Puts bytes together from strings, numbers and other bytes, and becomes ``Bytes`` without a copy.
///
/// ```swift
/// var reply = BytesBuilder(capacity: 32)
/// reply.append("$")
/// reply.append(decimal: 5)
/// reply.append("\r\nhello\r\n")
/// connection.write(reply.takeBytes())
/// ```
///
/// A copy of a builder shares its memory until one of the two changes, as a copy of an array does. To write
/// large bytes that exist already, pass them to `write` of ``ByteStream`` in an array of several `Bytes`;
/// that copies nothing.
public struct BytesBuilder {
  fileprivate var storage: ByteStorage?
  /// The first byte of `storage`.
  fileprivate var start: UnsafeMutablePointer<UInt8>

  /// How many bytes there are.
  public private(set) var count: Int

  /// How many bytes there is memory for.
  public private(set) var capacity: Int

  /// Makes a builder without bytes.
  ///
  /// - Parameter capacity: How many bytes to make room for, 0 or more. The builder grows as needed.
  public init(capacity: Int = 0) {
    storage = nil
    start = UnsafeMutablePointer(mutating: Bytes().start)
    count = 0
    self.capacity = 0
    if capacity > 0 { grow(capacity) }
  }

  /// Whether there are no bytes.
  public var isEmpty: Bool { count == 0 }

  /// Makes room, so that appending as many bytes as this allocates nothing.
  ///
  /// - Parameter capacity: How many bytes there are to be in all.
  public mutating func reserveCapacity(_ capacity: Int) {
    if capacity > self.capacity || !isKnownUniquelyReferenced(&storage) { grow(max(capacity - count, 0)) }
  }

  // MARK: Appending

  /// Appends one byte. Complexity: O(1) on average.
  public mutating func append(_ byte: UInt8) {
    room(for: 1).pointee = byte
    count += 1
  }

  /// Appends the bytes of `bytes`. Complexity: O(*n*).
  public mutating func append(_ bytes: Bytes) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends the UTF-8 of `text`. Complexity: O(*n*).
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the UTF-8 of `text`. Complexity: O(*n*).
  public mutating func append(_ text: Substring) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the bytes of any collection. Complexity: O(*n*).
  @inlinable
  public mutating func append(contentsOf bytes: some Collection<UInt8>) {
    let isDone: Void? = bytes.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
    if isDone == nil { for byte in bytes { append(byte) } }
  }

  /// Appends the bytes of `buffer`. Complexity: O(*n*).
  public mutating func append(_ buffer: UnsafeRawBufferPointer) {
    guard let bytes = buffer.baseAddress, buffer.count > 0 else { return }
    UnsafeMutableRawPointer(room(for: buffer.count)).copyMemory(from: bytes, byteCount: buffer.count)
    count += buffer.count
  }

  /// Appends the bytes of an integer, the highest byte first. This is the order of most protocols.
  @inlinable
  public mutating func append<T: FixedWidthInteger & BitwiseCopyable>(bigEndian integer: T) {
    store(integer.bigEndian)
  }

  /// Appends the bytes of an integer, the lowest byte first.
  @inlinable
  public mutating func append<T: FixedWidthInteger & BitwiseCopyable>(littleEndian integer: T) {
    store(integer.littleEndian)
  }

  @inlinable
  mutating func store<T: FixedWidthInteger & BitwiseCopyable>(_ integer: T) {
    withUnsafeBytes(of: integer) { append($0) }
  }

  /// Appends a number in decimal digits, with a `-` before a negative one.
  public mutating func append(decimal number: Int) {
    // 19 digits and a sign.
    var place = room(for: 20)
    if number < 0 {
      place.pointee = UInt8(ascii: "-")
      place += 1
      count += 1
    }
    var digits = 1
    var rest = number.magnitude / 10
    while rest > 0 {
      rest /= 10
      digits += 1
    }
    rest = number.magnitude
    for digit in 1...digits {
      place[digits - digit] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
      rest /= 10
    }
    count += digits
  }

  /// Makes room for more bytes, and lets a closure fill it.
  ///
  /// - Parameters:
  ///   - capacity: The most bytes that there may be more, 0 or more.
  ///   - initialize: Writes bytes from the start of the buffer, and returns how many it wrote.
  /// - Throws: What `initialize` throws.
  public mutating func append<E: Error>(
    unsafeUninitializedCapacity capacity: Int,
    _ initialize: (UnsafeMutableBufferPointer<UInt8>) throws(E) -> Int
  ) throws(E) {
    let written = try initialize(UnsafeMutableBufferPointer(start: room(for: capacity), count: capacity))
    require(0...capacity ~= written, "wrote \(written) of \(capacity) bytes")
    count += written
  }

  // MARK: Taking

  /// Takes the bytes out, without a copy. The builder is empty afterwards, and can be used again. Complexity:
  /// O(1).
  public mutating func takeBytes() -> Bytes {
    let bytes = Bytes(self)
    self = BytesBuilder()
    return bytes
  }

  /// Removes the bytes.
  ///
  /// - Parameter keepsCapacity: Whether to keep the memory, for the bytes to come. Memory that a ``Bytes``
  ///   shares isn't kept. So a builder whose bytes have been written and let go of allocates nothing for the
  ///   next ones.
  public mutating func removeAll(keepingCapacity keepsCapacity: Bool = false) {
    if keepsCapacity, isKnownUniquelyReferenced(&storage) { count = 0 } else { self = BytesBuilder() }
  }

  // MARK: Memory

  /// The place for the next bytes, where no `Bytes` is.
  @inline(__always)
  private mutating func room(for more: Int) -> UnsafeMutablePointer<UInt8> {
    if more > capacity &- count || !isKnownUniquelyReferenced(&storage) { grow(more) }
    return start + count
  }

  /// Moves to larger memory of its own.
  @inline(never)
  private mutating func grow(_ more: Int) {
    require(more >= 0, "a builder with room for \(more) bytes more")
    let capacity = max(count + more, more > self.capacity - count ? 2 * self.capacity : 0, 32)
    let storage = ByteStorage.create(capacity: capacity)
    storage.base.update(from: start, count: count)
    self.storage = storage
    self.capacity = capacity
    start = storage.base
  }
}

// Sound: memory that another value shares is copied before it is changed.
extension BytesBuilder: @unchecked Sendable {}

extension Bytes {
  /// The bytes of a builder, without a copy. The builder copies them when it is changed later; to go on with
  /// it, use ``BytesBuilder/takeBytes()``. Complexity: O(1).
  public init(_ builder: BytesBuilder) {
    self.init(storage: builder.storage, start: UnsafePointer(builder.start), count: builder.count)
  }
}

extension BytesBuilder: CustomStringConvertible {
  /// The bytes as text if they are valid UTF-8; otherwise how many they are.
  public var description: String { Bytes(self).description }
}
