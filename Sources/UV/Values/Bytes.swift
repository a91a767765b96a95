/// An immutable run of bytes: a slice of shared, reference-counted memory.
///
/// Sockets and files deliver `Bytes`, and you write `Bytes` to them. Copying or slicing a `Bytes` copies a
/// reference, never the bytes: O(1). A slice keeps all of the memory that it came from. To keep a few bytes
/// for long, copy them out with ``copy()`` or `Array(bytes)`.
///
/// ```swift
/// let line: Bytes = "GET / HTTP/1.1\r\n"
/// let verb = Bytes(line.prefix(3))  // shares the memory of `line`
/// print(String(decoding: verb, as: UTF8.self))
/// ```
///
/// A literal is neither copied nor counted. To put bytes together from several parts, use a ``BytesBuilder``.
/// For text that may not be UTF-8, `String(validating: bytes, as: UTF8.self)` returns nil where it isn't.
public struct Bytes {
  /// Nil for literals, and for no bytes.
  @usableFromInline let storage: ByteStorage?
  @usableFromInline let start: UnsafePointer<UInt8>

  /// The number of bytes.
  public let count: Int

  @inlinable
  init(storage: ByteStorage?, start: UnsafePointer<UInt8>, count: Int) {
    self.storage = storage
    self.start = start
    self.count = count
  }

  /// No bytes.
  public init() { self.init(storage: nil, start: Self.nowhere, count: 0) }

  /// The address of no bytes, which nobody reads.
  private static var nowhere: UnsafePointer<UInt8> { UnsafePointer(bitPattern: MemoryLayout<Int>.alignment)! }

  /// The bytes of an array; they share its memory. If the array changes later, it changes a copy. Complexity:
  /// O(1).
  public init(_ array: [UInt8]) {
    let storage = array.isEmpty ? nil : ByteStorage.sharing(array)
    self.init(
      storage: storage, start: storage.map { UnsafePointer($0.base) } ?? Self.nowhere, count: array.count)
  }

  /// Copies `bytes`. Complexity: O(*n*).
  @inlinable
  public init(_ bytes: some Collection<UInt8>) {
    // Inlined: where the compiler doesn't know the collection, a byte takes ten times as long.
    self.init(unsafeUninitializedCapacity: bytes.count) { buffer in
      var (rest, initialized) = buffer.initialize(from: bytes)
      precondition(rest.next() == nil, "a collection whose count is less than its elements")
      return initialized
    }
  }

  /// The bytes of a slice; they share its memory. Complexity: O(1).
  @inlinable
  public init(_ slice: Slice<Bytes>) {
    self.init(
      storage: slice.base.storage, start: slice.base.start + slice.startIndex, count: slice.count)
  }

  /// Copies the UTF-8 of `string`. Complexity: O(*n*).
  public init(_ string: some StringProtocol) {
    var string = String(string)
    self = string.withUTF8 { Bytes(copying: UnsafeRawBufferPointer($0)) }
  }

  /// Copies the bytes of `span`. Complexity: O(*n*).
  public init(copying span: RawSpan) {
    self = span.withUnsafeBytes { Bytes(copying: $0) }
  }

  /// Copies the bytes of `buffer`. Complexity: O(*n*).
  public init(copying buffer: UnsafeRawBufferPointer) {
    self.init(unsafeUninitializedCapacity: buffer.count) { target in
      UnsafeMutableRawBufferPointer(target).copyMemory(from: buffer)
      return buffer.count
    }
  }

  /// Repeats one byte. Complexity: O(*n*).
  ///
  /// - Parameters:
  ///   - byte: The byte to repeat.
  ///   - count: How many times, 0 or more.
  public init(repeating byte: UInt8, count: Int) {
    self.init(unsafeUninitializedCapacity: count) { buffer in
      buffer.initialize(repeating: byte)
      return count
    }
  }

  /// Allocates memory and lets a closure fill it.
  ///
  /// - Parameters:
  ///   - capacity: The most bytes that there may be.
  ///   - initialize: Writes bytes from the start of the buffer, and returns how many it wrote.
  /// - Throws: What `initialize` throws.
  public init<E: Error>(
    unsafeUninitializedCapacity capacity: Int,
    _ initialize: (UnsafeMutableBufferPointer<UInt8>) throws(E) -> Int
  ) throws(E) {
    let storage = ByteStorage.create(capacity: capacity)
    let base = storage.base
    let count = try initialize(UnsafeMutableBufferPointer(start: base, count: capacity))
    require(0...capacity ~= count, "initialized \(count) of \(capacity) bytes")
    self.init(storage: storage, start: UnsafePointer(base), count: count)
  }

  /// The same bytes in memory of their own. Use it if you need a small slice of a large buffer, which is then
  /// released. Complexity: O(*n*).
  public func copy() -> Bytes { withUnsafeBytes { Bytes(copying: $0) } }

  /// The bytes after the first `count`; they share this memory.
  func dropping(_ count: Int) -> Bytes {
    count == 0 ? self : Bytes(storage: storage, start: start + count, count: self.count - count)
  }

  /// Calls `body` with the bytes in place. The pointer is valid until `body` returns.
  @inlinable
  public func withUnsafeBytes<T, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> T) throws(E) -> T {
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }
}

// Sound: the bytes that a `Bytes` covers are never written again, and its storage is reference-counted.
extension Bytes: @unchecked Sendable {}

extension Bytes: RandomAccessCollection {
  /// The first index, always 0.
  @inlinable public var startIndex: Int { 0 }

  /// The index after the last, equal to ``count``.
  @inlinable public var endIndex: Int { count }

  /// The byte at `position`, in `0..<count`.
  @inlinable public subscript(position: Int) -> UInt8 {
    precondition(position >= 0 && position < count, "index out of range")
    defer { withExtendedLifetime(storage) {} }
    return start[position]
  }

  /// Calls `body` with the bytes in place.
  @inlinable
  public func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows
    -> R?
  {
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeBufferPointer(start: start, count: count))
  }
}

extension Bytes: Hashable {
  /// Whether both values hold the same bytes. Complexity: O(*n*).
  public static func == (a: Bytes, b: Bytes) -> Bool {
    a.count == b.count && a.withUnsafeBytes { a in b.withUnsafeBytes { b in isEqual(a, b) } }
  }

  /// Hashes the bytes. Complexity: O(*n*).
  public func hash(into hasher: inout Hasher) {
    withUnsafeBytes { bytes in
      // In words: a hasher takes twice as long for the bytes of a short key.
      let words = bytes.count / 8
      for word in 0..<words {
        hasher.combine(bytes.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self))
      }
      // The count distinguishes keys that are the beginnings of others.
      var rest = UInt64(bytes.count)
      for position in 8 * words..<bytes.count { rest = rest << 8 | UInt64(bytes[position]) }
      hasher.combine(rest)
    }
  }
}

extension Bytes: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// The UTF-8 of a literal, which stays where the program has it. Complexity: O(1).
  @inlinable
  public init(stringLiteral value: StaticString) {
    if value.hasPointerRepresentation {
      // Sound: a literal is a part of the program, and stays.
      self.init(storage: nil, start: value.utf8Start, count: value.utf8CodeUnitCount)
    } else {
      self = value.withUTF8Buffer { Bytes(copying: UnsafeRawBufferPointer($0)) }
    }
  }

  /// The bytes of a literal.
  public init(arrayLiteral elements: UInt8...) { self.init(elements) }
}

extension Bytes: CustomStringConvertible {
  /// The bytes as text if they are valid UTF-8; otherwise how many they are.
  public var description: String {
    String(validating: self, as: UTF8.self) ?? "\(count) bytes"
  }
}

/// The memory behind `Bytes`: one allocation, with the bytes after the header.
///
/// It is written only while there is one reference to it, or in a part that no `Bytes` covers yet. Any number
/// of threads may read it.
@usableFromInline
final class ByteStorage: ManagedBuffer<ByteStorage.Header, UInt8> {
  @usableFromInline
  struct Header {
    /// Bytes that are elsewhere, in place of the tail.
    @usableFromInline var external: UnsafeMutablePointer<UInt8>?
    /// The array that has those bytes. Without one, `malloc` has allocated them, and they are freed with the
    /// storage.
    var array: [UInt8]?
  }

  // Sound: it has no bytes to write.
  nonisolated(unsafe) static let empty = create(capacity: 0)

  @usableFromInline
  static func create(capacity: Int) -> ByteStorage { create(capacity: capacity, Header()) }

  private static func create(capacity: Int, _ header: Header) -> ByteStorage {
    // Sound: `create` of a ManagedBuffer subclass makes an instance of that subclass.
    unsafeDowncast(create(minimumCapacity: capacity) { _ in header }, to: ByteStorage.self)
  }

  /// Takes over a buffer made by `malloc`.
  static func adopting(_ external: UnsafeMutableRawPointer) -> ByteStorage {
    create(capacity: 0, Header(external: external.assumingMemoryBound(to: UInt8.self)))
  }

  /// Shares the bytes of an array, which isn't empty.
  ///
  /// Sound: an array of bytes is one object on the heap, whose address doesn't change. The storage retains
  /// that object, so a change of the array changes a copy.
  static func sharing(_ array: [UInt8]) -> ByteStorage {
    let bytes = array.withUnsafeBufferPointer { $0.baseAddress! }
    return create(capacity: 0, Header(external: UnsafeMutablePointer(mutating: bytes), array: array))
  }

  @inlinable
  var base: UnsafeMutablePointer<UInt8> {
    withUnsafeMutablePointers { header, elements in header.pointee.external ?? elements }
  }

  deinit {
    withUnsafeMutablePointerToHeader { if $0.pointee.array == nil { releaseExternal($0.pointee.external) } }
  }
}
