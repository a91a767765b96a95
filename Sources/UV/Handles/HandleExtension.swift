/// State that only some handles need, so that the others don't pay for it. A handle's block keeps it while
/// the handle is open.
///
/// The owner of the handle may go at any time, on any thread; its sidecar is used on the loop's thread only.
class HandleExtension {
  /// Called on the loop's thread when the handle begins to close, however that comes about. Its descriptor is
  /// still open.
  func handleCloses() {}

  /// Called right after libuv was asked to close the handle. A handle that is closed here closes together with
  /// this one.
  func closeBegan() {}
}

/// The sidecar of a handle that libuv may call although nothing retains the owner. Another thread may drop
/// the owner at any moment.
class IdleOwner: HandleExtension {
  weak var owner: Handle?

  init(_ owner: Handle) { self.owner = owner }
}
