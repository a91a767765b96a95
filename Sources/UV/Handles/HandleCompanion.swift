/// An object that a handle's block keeps while the handle is open. The owner of the handle may go at any time, on any
/// thread; its companion is used on the loop's thread only.
class HandleCompanion {
  /// Called on the loop's thread when the handle begins to close, however that comes about.
  func handleCloses() {}
}
