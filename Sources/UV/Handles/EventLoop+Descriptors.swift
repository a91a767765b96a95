extension EventLoop {
  /// Throws if a handle of the loop has that descriptor already. libuv itself only checks the handles that it
  /// polls.
  func checkUnowned(_ descriptor: Int32, _ operation: String) throws(UVError) {
    guard descriptor >= 0, openHandles.descriptors.contains(descriptor) else { return }
    throw UVError(.fileExists, operation: operation, subject: "descriptor \(descriptor)")
  }
}
