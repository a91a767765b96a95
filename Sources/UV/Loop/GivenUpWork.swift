import CUV

/// Says once that a run, or the end of a loop, waits for threads of the pool whose requests have been cancelled.
///
/// Work that a thread has begun can't be ended: a lookup, a file of a server that doesn't answer, a closure that waits. Its
/// request is answered at its cancellation, but libuv keeps the loop until the thread comes back. The timer exists only
/// from such a cancellation on.
final class GivenUpWork {
  /// How long the loop waits in silence, in milliseconds.
  var patience: UInt64 = 5000
  private var timer: UnsafeMutablePointer<uv_timer_t>?
  private var hasReported = false
  /// The requests that were all that the loop waited for when it was looked at last.
  private var last: Set<ObjectIdentifier> = []

  /// Notes that a request has been given up whose work goes on.
  func begin(on loop: EventLoop) {
    // The run of an adopted loop is its host's.
    if hasReported || loop.isAdopted { return }
    let timer = timer ?? makeTimer(loop)
    if uv_is_active(cuv_handle(timer)) != 0 { return }
    // The loop's time may be old.
    uv_update_time(loop.raw)
    uv_timer_start(timer, lookCallback, patience, 0)
  }

  private func makeTimer(_ loop: EventLoop) -> UnsafeMutablePointer<uv_timer_t> {
    let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    uv_timer_init(loop.raw, timer)
    uv_unref(cuv_handle(timer))
    // Sound: the loop closes this timer before it goes.
    cuv_handle_set_data(timer, Unmanaged.passUnretained(loop).toOpaque())
    self.timer = timer
    return timer
  }

  fileprivate func look(at loop: EventLoop) {
    var givenUp: [Awaited] = []
    var these: Set<ObjectIdentifier> = []
    loop.requests.forEach { request in
      guard let work = request.givenUp else { return }
      givenUp.append(work)
      these.insert(ObjectIdentifier(request))
    }
    if givenUp.isEmpty { return last = [] }
    let isAllThereIs =
      givenUp.count == loop.requests.count && loop.tasks.isEmpty && loop.work.count == 0
      && !hasOtherHandles(loop)
    // The same at two looks: then the loop has waited for nothing else in between.
    let isLasting = isAllThereIs && these == last
    last = isAllThereIs ? these : []
    guard isLasting else { return begin(on: loop) }
    hasReported = true
    let names = givenUp.prefix(3).map { [$0.operation, $0.subject].compactMap { $0 }.joined(separator: " ") }
    let more = givenUp.count > names.count ? " and \(givenUp.count - names.count) more" : ""
    printToStandardError(
      """
      EventLoop: the loop waits only for threads of libuv's pool whose requests have been cancelled: \
      \(names.joined(separator: ", "))\(more). Work that a thread has begun can't be interrupted; the loop ends when it returns. \
      Have the work itself end, or let the process end by `_exit`.
      """)
  }

  /// Whether a handle keeps the loop running.
  private func hasOtherHandles(_ loop: EventLoop) -> Bool {
    var isKept = false
    withUnsafeMutablePointer(to: &isKept) {
      uv_walk(
        loop.raw,
        { handle, context in
          guard uv_is_active(handle) != 0, uv_has_ref(handle) != 0 else { return }
          context!.assumingMemoryBound(to: Bool.self).pointee = true
        }, $0)
    }
    return isKept
  }

  func close(_ loop: EventLoop) {
    guard let timer = timer.take() else { return }
    hasReported = true
    closeInternal(timer, of: loop)
  }
}

private func lookCallback(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
  // Sound: the loop closes the timer before it goes.
  let loop = Unmanaged<EventLoop>.fromOpaque(cuv_handle_data(timer)).takeUnretainedValue()
  loop.work.givenUp.look(at: loop)
}

extension EventLoop {
  /// How long the loop waits in silence for work that has been given up, in milliseconds; for tests.
  package var patienceWithGivenUpWork: UInt64 {
    get { work.givenUp.patience }
    set { work.givenUp.patience = newValue }
  }
}
