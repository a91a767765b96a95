/// A request that libuv or its thread pool holds.
class ActiveRequest: Cancelling {
  // Sound: a loop outlives its requests, since it waits for them when it ends; they ask nothing of it afterwards.
  unowned(unsafe) let loop: EventLoop
  @exclusivity(unchecked) fileprivate var index = -1

  init(loop: EventLoop) { self.loop = loop }

  func cancel(slot: UInt, generation: UInt) {}
}

/// The requests of a loop that libuv holds, which keeps them alive, and those that may be used again.
final class RequestList {
  private static let reserve = 256

  @exclusivity(unchecked) private var requests: [ActiveRequest] = []
  @exclusivity(unchecked) private var unused: [FileRequest] = []

  var count: Int { requests.count }

  func insert(_ request: ActiveRequest) {
    request.index = requests.count
    requests.append(request)
    request.loop.hold()
  }

  func remove(_ request: ActiveRequest) {
    let last = requests.removeLast()
    if last !== request {
      last.index = request.index
      requests[request.index] = last
    }
    request.index = -1
    request.loop.letGo()
  }

  func cancelAll() { for request in requests { request.cancel(slot: 0, generation: 0) } }

  /// A file request that nobody uses.
  func takeFileRequest(_ loop: EventLoop) -> FileRequest { unused.popLast() ?? FileRequest(loop: loop) }

  /// Takes a file request back.
  func putBack(_ request: FileRequest) {
    if unused.count < Self.reserve { unused.append(request) }
  }
}
