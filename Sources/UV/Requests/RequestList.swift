import CUV

/// A request that libuv, its thread pool or another loop holds.
@usableFromInline
package class ActiveRequest: Cancelling {
  // Sound: a loop outlives its requests, because it waits for them when it ends. They don't use it
  // afterwards.
  unowned(unsafe) let loop: EventLoop
  // Sound: neighbours in the loop's list, which retains all of its requests.
  @exclusivity(unchecked) fileprivate var next: Unmanaged<ActiveRequest>?
  @exclusivity(unchecked) fileprivate var previous: Unmanaged<ActiveRequest>?

  /// When the request was begun, on the loop's clock in milliseconds.
  @exclusivity(unchecked) fileprivate(set) var start: UInt64 = 0

  init(loop: borrowing EventLoop) { self.loop = copy loop }

  /// Calls `body` with the loop. Unlike a use of ``loop``, this doesn't retain and release it.
  @inline(__always)
  final func withLoop<T>(_ body: (EventLoop) -> T) -> T {
    // Sound: see `loop`.
    Unmanaged.passUnretained(loop)._withUnsafeGuaranteedRef(body)
  }

  package func cancel(slot: UInt, generation: UInt) {}

  package func awaited(slot: UInt, generation: UInt) -> Awaited? { nil }

  /// The work of a request that has been cancelled, and goes on; nil if it hasn't been.
  var givenUp: Awaited? { nil }

  /// Whether the thread pool works on the request.
  var isOnPool: Bool { false }

  /// Does the request's work, on a thread of the pool.
  func runOnPool() {}

  /// Called with libuv's code when the pool has done the work, or when it won't do it.
  func poolDidEnd(_ code: Int32) {}
}

/// Requests that nobody uses, of one class, to be used again.
struct UnusedRequests {
  private let limit: Int
  // Sound: the first of a list by their `next`; each is retained by the code that keeps it here.
  private var first: Unmanaged<ActiveRequest>?
  private var count = 0

  /// - Parameter limit: How many are kept.
  init(atMost limit: Int) { self.limit = limit }

  /// A request that is retained, if there is one.
  @inline(__always)
  mutating func take() -> Unmanaged<ActiveRequest>? {
    guard let link = first else { return nil }
    link._withUnsafeGuaranteedRef { request in
      first = request.next
      request.next = nil
    }
    count &-= 1
    return link
  }

  /// Keeps a request that is retained for the next use, or releases it.
  @inline(__always)
  mutating func putBack(_ link: Unmanaged<ActiveRequest>) {
    guard count < limit else { return link.release() }
    link._withUnsafeGuaranteedRef { request in
      assert(request.next == nil && request.previous == nil, "a request that is under way is put back")
      request.next = first
    }
    first = link
    count &+= 1
  }

  mutating func clear() { while let link = take() { link.release() } }
}

/// The requests of a loop that libuv holds, which this list keeps alive, and unused ones that can be used
/// again.
final class RequestList {
  // Sound: the list retains what is in it.
  @exclusivity(unchecked) private var first: Unmanaged<ActiveRequest>?
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) var unusedFiles = UnusedRequests(atMost: 256)
  @exclusivity(unchecked) var unusedRemotes = UnusedRequests(atMost: 1024)
  /// How long the thread pool has had requests; nil unless the loop measures it.
  @exclusivity(unchecked) var poolTimes: PoolTimes?

  func insert(_ request: ActiveRequest) {
    // Balanced by `remove`.
    insertRetained(Unmanaged.passRetained(request))
  }

  /// Inserts a request that the caller has retained.
  func insertRetained(_ link: Unmanaged<ActiveRequest>) { link._withUnsafeGuaranteedRef { add($0, link) } }

  private func add(_ request: ActiveRequest, _ link: Unmanaged<ActiveRequest>) {
    request.withLoop { $0.requireOnLoop("a request of an event loop") }
    assert(request.next == nil && request.previous == nil, "a request that has begun begins again")
    request.next = first
    first?._withUnsafeGuaranteedRef { $0.previous = link }
    first = link
    count &+= 1
    request.withLoop { loop in
      request.start = uv_now(loop.raw)
      loop.hold()
    }
  }

  /// Takes out a request, which the caller retains.
  func remove(_ request: ActiveRequest) {
    removeRetained(request)
    // Balances `insert`.
    Unmanaged.passUnretained(request).release()
  }

  /// Takes out a request that stays retained, as it was when it was inserted.
  func removeRetained(_ request: ActiveRequest) {
    request.withLoop { $0.assertOnLoop() }
    assert(contains(request), "a request ends that hasn't begun, or has ended")
    let (next, previous) = (request.next, request.previous)
    if let previous { previous._withUnsafeGuaranteedRef { $0.next = next } } else { first = next }
    next?._withUnsafeGuaranteedRef { $0.previous = previous }
    request.next = nil
    request.previous = nil
    count &-= 1
    request.withLoop { $0.letGo() }
  }

  /// Whether a request of this loop is under way.
  func contains(_ request: ActiveRequest) -> Bool {
    request.previous != nil || first?.toOpaque() == Unmanaged.passUnretained(request).toOpaque()
  }

  /// Calls `body` with each request, the latest first.
  func forEach(_ body: (ActiveRequest) -> Void) {
    var link = first
    while let request = link?.takeUnretainedValue() {
      link = request.next
      body(request)
    }
  }

  func cancelAll() {
    var link = first
    while let request = link?.takeUnretainedValue() {
      link = request.next
      request.cancel(slot: 0, generation: 0)
    }
  }

  /// Releases the unused requests.
  func clear() {
    unusedFiles.clear()
    unusedRemotes.clear()
  }
}

/// The request that libuv calls back for, by the data of libuv's own. Sound: the loop's list of requests owns
/// it until it has its answer.
@inline(__always)
func activeRequest<Request: ActiveRequest>(of data: UnsafeMutableRawPointer!, as _: Request.Type) -> Request {
  let request = Unmanaged<ActiveRequest>.fromOpaque(data).takeUnretainedValue()
  assert(request.loop.requests.contains(request), "libuv answers a request that has ended")
  request.loop.assertOnLoop()
  return unsafeDowncast(request, to: Request.self)
}
