/// Carries a value through an API that asks for `Sendable` while it goes to one thread at a time.
@usableFromInline
// Sound: each use says why.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  @usableFromInline package let value: Value
  @inlinable package init(_ value: Value) { self.value = value }
}
