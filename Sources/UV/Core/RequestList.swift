/// A request that libuv or its thread pool holds.
class ActiveRequest: Cancelling {
  // Sound: a loop outlives its requests, since it waits for them when it ends; they ask nothing of it afterwards.
  unowned(unsafe) let loop: EventLoop
  // Sound: neighbours in the loop's list, which retains all that are in it.
  @exclusivity(unchecked) fileprivate unowned(unsafe) var next: ActiveRequest?
  @exclusivity(unchecked) fileprivate unowned(unsafe) var previous: ActiveRequest?

  init(loop: EventLoop) { self.loop = loop }

  func cancel(slot: UInt, generation: UInt) {}
}

/// The requests of a loop that libuv holds, which keeps them alive, and those that may be used again.
final class RequestList {
  private static let reserve = 256

  // Sound: the list retains what is in it.
  @exclusivity(unchecked) private unowned(unsafe) var first: ActiveRequest?
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var unused: [FileRequest] = []

  @inline(__always)
  func insert(_ request: ActiveRequest) {
    // Balanced by `remove`.
    _ = Unmanaged.passRetained(request)
    request.next = first
    first?.previous = request
    first = request
    count += 1
    request.loop.hold()
  }

  /// Takes a request out, which the caller holds.
  @inline(__always)
  func remove(_ request: ActiveRequest) {
    if let previous = request.previous { previous.next = request.next } else { first = request.next }
    request.next?.previous = request.previous
    request.next = nil
    request.previous = nil
    count -= 1
    let loop = request.loop
    // Balances `insert`.
    Unmanaged.passUnretained(request).release()
    loop.letGo()
  }

  func cancelAll() {
    var request = first
    while let current = request {
      request = current.next
      current.cancel(slot: 0, generation: 0)
    }
  }

  /// A file request that nobody uses.
  @inline(__always)
  func takeFileRequest(_ loop: EventLoop) -> FileRequest { unused.popLast() ?? FileRequest(loop: loop) }

  /// Takes a file request back.
  @inline(__always)
  func putBack(_ request: FileRequest) {
    if unused.count < Self.reserve { unused.append(request) }
  }
}
