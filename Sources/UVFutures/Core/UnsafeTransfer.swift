/// Carries a value through an API that asks for `Sendable` while it goes to one thread at a time.
@usableFromInline
// Sound: each use says why.
struct UnsafeTransfer<Value>: @unchecked Sendable {
  @usableFromInline let value: Value
  @inlinable init(_ value: Value) { self.value = value }
}
