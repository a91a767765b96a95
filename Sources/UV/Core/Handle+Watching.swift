import CUV

/// What handles have in common that watch all the time, and keep the loop running only while somebody asks.
extension Handle {
  /// Has whoever asks keep the loop running; false, and the source's end, if the handle is closed.
  func beginWatching<Element>(_ source: SourceCore<Element>, _ operation: String) -> Bool {
    guard !isClosing else {
      let error = closedError(operation)
      loop.queueMicrotask { source.finish(error) }
      return false
    }
    keepAlive(.source)
    uv_ref(block.handle)
    return true
  }

  /// Ends that. The handle may be gone afterwards, unless the caller holds it.
  func endWatching() {
    if !isClosing { uv_unref(block.handle) }
    letGo(.source)
  }
}

/// Makes a call of libuv's with a path.
func check(
  _ path: some PathConvertible, _ operation: String, _ call: (UnsafePointer<CChar>) -> Int32
) throws(UVError) {
  try path.withPathBytes { pointer -> Result<Void, UVError> in
    guard let pointer else {
      return .failure(UVError(.invalidArgument, operation: operation, subject: "a path with a NUL in it"))
    }
    let code = call(pointer)
    return code < 0 ? .failure(failure(code, operation, String(cString: pointer))) : .success(())
  }.get()
}
