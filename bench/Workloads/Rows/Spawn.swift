import UV

/// `spawn`: a child that ends at once.
enum Spawn {
  static let rows = RequestRows<Request<UInt64>> { _, loop in
    Request(loop) { done in
      do throws(UVError) {
        return try loop.processes.spawn("/bin/true").exit { done($0.map { $0.isSuccess ? 1 : 0 }) }
      } catch {
        loop.queueMicrotask { done(.failure(error)) }
        return PendingRequest()
      }
    }
  } request: { child, _ in
    child
  } end: { _ in
  }.all
}
