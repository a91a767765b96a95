extension Request {
  /// Starts the request and waits for its answer, on the loop.
  ///
  /// If the task is cancelled, so is the request, and this throws `cancelled`; in a task that is cancelled already
  /// nothing is started.
  ///
  /// - Throws: What the request fails with.
  @inlinable
  public var value: Success {
    get async throws(UVError) {
      try await wait()
    }
  }
}

extension Request where Success == Void {
  /// Starts the request and waits for its end, on the loop. A write that the system takes at once does not suspend.
  ///
  /// If the task is cancelled, so is the request, and this throws `cancelled`; in a task that is cancelled already
  /// nothing is started.
  ///
  /// - Throws: What the request fails with.
  @inlinable
  @inline(__always)
  public var value: Void {
    get async throws(UVError) {
      switch body {
      case .write(let stream, let bytes, _):
        let taken = try stream.writeNow(bytes).get()
        if taken < bytes.count { try await stream.writeRest(of: bytes, after: taken) }
      case .start: try await wait()
      }
    }
  }
}

extension Request {
  @usableFromInline
  nonisolated(nonsending) func wait() async throws(UVError) -> Success {
    if Task.isCancelled { throw UVError(.cancelled, operation: "await") }
    let result: Result<Success, UVError> = await suspend(on: loop) { continuation in
      start { continuation.resume(returning: UnsafeTransfer($0)) }
    }
    return try result.get()
  }
}
