// What swift-nio's tests use of NIOCore that only its own package sees.

final class UnsafeMutableTransferBox<Wrapped>: @unchecked Sendable {
  var wrappedValue: Wrapped

  init(_ wrappedValue: Wrapped) { self.wrappedValue = wrappedValue }
}

struct UnsafeTransfer<Wrapped>: @unchecked Sendable {
  var wrappedValue: Wrapped

  init(_ wrappedValue: Wrapped) { self.wrappedValue = wrappedValue }
}
