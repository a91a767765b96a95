/// The memory behind `Bytes`: one allocation, with the bytes after the header.
///
/// It is written only while there is one reference to it, or in a part that no `Bytes` covers yet. Any number
/// of threads may read it.
@usableFromInline
final class ByteStorage: ManagedBuffer<ByteStorage.Header, UInt8> {
  @usableFromInline
  struct Header {
    /// Bytes that were allocated by `malloc` elsewhere, in place of the tail. They are freed with the
    /// storage.
    @usableFromInline var external: UnsafeMutablePointer<UInt8>?
    @usableFromInline init(external: UnsafeMutablePointer<UInt8>?) { self.external = external }
  }

  // Sound: it has no bytes to write.
  nonisolated(unsafe) static let empty = create(capacity: 0)

  @usableFromInline
  static func create(capacity: Int) -> ByteStorage {
    // Sound: `create` of a ManagedBuffer subclass makes an instance of that subclass.
    unsafeDowncast(create(minimumCapacity: capacity) { _ in Header(external: nil) }, to: ByteStorage.self)
  }

  /// Takes over a buffer made by `malloc`.
  static func adopting(_ external: UnsafeMutableRawPointer) -> ByteStorage {
    // Sound: see above.
    unsafeDowncast(
      create(minimumCapacity: 0) { _ in
        Header(external: external.assumingMemoryBound(to: UInt8.self))
      }, to: ByteStorage.self)
  }

  @inlinable
  var base: UnsafeMutablePointer<UInt8> {
    withUnsafeMutablePointers { header, elements in header.pointee.external ?? elements }
  }

  deinit { withUnsafeMutablePointerToHeader { releaseExternal($0.pointee.external) } }
}
