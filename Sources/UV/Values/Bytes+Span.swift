extension Bytes {
  /// The bytes in place, as a span. The compiler sees to it that the span isn't used after the bytes.
  @inlinable
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      // Sound: the bytes stay as long as `self`, which the span borrows.
      let span = unsafe Span(_unsafeStart: start, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The bytes in place, as a span from which other types are loaded.
  @inlinable
  public var bytes: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      // Sound: see above.
      let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}
