extension EventLoop {
  /// Every callback from libuv does its work in this: afterwards the microtasks run that it has queued.
  @inline(__always)
  func callback<T>(_ body: () -> T) -> T {
    beginCallback()
    defer { endCallback() }
    return body()
  }
}
