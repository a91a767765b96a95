/// A request that libuv or its thread pool holds: it keeps itself alive until libuv calls back.
class ActiveRequest: Cancelling {
  let loop: EventLoop
  fileprivate var index = -1

  init(loop: EventLoop) { self.loop = loop }

  func cancel(slot: UInt, generation: UInt) {}
}

/// The requests of a loop that libuv holds.
final class RequestList {
  private var requests: [ActiveRequest] = []

  var count: Int { requests.count }

  func insert(_ request: ActiveRequest) {
    request.index = requests.count
    requests.append(request)
  }

  func remove(_ request: ActiveRequest) {
    let last = requests.removeLast()
    if last !== request {
      last.index = request.index
      requests[request.index] = last
    }
    request.index = -1
  }

  func cancelAll() { for request in requests { request.cancel(slot: 0, generation: 0) } }
}
