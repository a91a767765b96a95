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
