/// Carries a value through an API that asks for `Sendable` while it stays on its loop's thread.
@usableFromInline
// Sound: each use says why what is inside is touched on that thread only.
struct UnsafeTransfer<Value>: @unchecked Sendable {
  @usableFromInline let value: Value
  @inlinable init(_ value: Value) { self.value = value }
}
