extension EventLoop {
  /// Every callback from libuv does its work in `body`. The microtasks that `body` has queued run afterwards.
  @inline(__always)
  func callback<T>(_ body: () -> T) -> T {
    beginCallback()
    defer { endCallback() }
    return body()
  }
}
