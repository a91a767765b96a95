import CUV

/// The file operations of a loop on their way to the thread pool and back, in batches; see `file_queue.h`.
///
/// As many threads of the pool as there are operations, as far as it has them, work on the queue. Then they
/// go back to the pool's other jobs.
final class FileQueue {
  typealias Operation = UnsafeMutablePointer<cuv_file_operation>

  /// How many threads the pool has, read as libuv does.
  private let poolSize = getenv("UV_THREADPOOL_SIZE").map { min(max(atoi($0), 1), 1024) } ?? 4

  /// How many operations are gathered at most. Each handing over takes the lock and its memory from the
  /// processor of the threads, which meanwhile must not run out of work.
  private static let fewAtATime = 8

  private let queue = UnsafeMutablePointer<cuv_file_queue>.allocate(capacity: 1)
  // Sound: the loop owns this; set once.
  private var owner: Unmanaged<EventLoop>!
  /// libuv's requests for threads that aren't in use. There are no more of them than threads.
  @exclusivity(unchecked) private var spares: [UnsafeMutablePointer<uv_work_t>] = []
  @exclusivity(unchecked) var blocks = ReadBlocks()
  /// Those for the threads that are at work, or will be once the pool has one.
  @exclusivity(unchecked) private var engaged: [UnsafeMutablePointer<uv_work_t>] = []
  /// Whether answers are being delivered. Operations that these answers lead to are gathered, and go to the threads
  /// several at a time.
  @exclusivity(unchecked) private var isDelivering = false

  init(wakeup: Wakeup) {
    cuv_file_queue_init(queue)
    wakeup.serve(queue)
    queue.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    for work in spares { work.deallocate() }
    cuv_file_queue_destroy(queue)
    queue.deallocate()
  }

  func attach(to loop: EventLoop) { owner = .passUnretained(loop) }

  /// Whether a thread is at work, which may wake the loop at any time.
  var isBusy: Bool { !engaged.isEmpty }

  /// Queues an operation.
  func append(_ operation: Operation) {
    owner._withUnsafeGuaranteedRef { $0.assertOnLoop() }
    let gathered = cuv_file_queue_gather(queue, operation)
    if isDelivering, gathered < Self.fewAtATime { return }
    cuv_file_queue_append(queue)
    if !isDelivering { engage() }
  }

  /// Has operations note their times from now on.
  func beginTiming() { queue.pointee.is_timed = true }

  /// Cancels an operation if no thread has taken it. It finishes in any case.
  ///
  /// - Returns: Whether no thread had taken it.
  func cancel(_ operation: Operation) -> Bool {
    guard cuv_file_queue_cancel(queue, operation) else { return false }
    // Nobody shall wait until the pool has a thread for nothing. Those that have begun go on.
    for work in engaged { uv_cancel(cuv_request(work)) }
    return true
  }

  /// Reports the answers that have come, and starts work on the operations that they lead to. Returns whether
  /// there were any.
  @discardableResult
  func deliver() -> Bool {
    owner._withUnsafeGuaranteedRef { $0.assertOnLoop() }
    guard reportAnswers() else { return false }
    engage()
    return true
  }

  /// Reports the answers that have come; false if there are none.
  private func reportAnswers() -> Bool {
    var next = cuv_file_queue_finished(queue)
    if next == nil { return false }
    isDelivering = true
    owner._withUnsafeGuaranteedRef { loop in
      while let operation = next {
        next = operation.pointee.next
        if operation.pointee.begun != 0 {
          let (queued, begun) = (operation.pointee.queued, operation.pointee.begun)
          loop.requests.poolTimes?.add(waiting: begun - queued, running: operation.pointee.ended - begun)
        }
        loop.callback {
          // Sound: the loop's list of requests owns it, until it is put back.
          let link = Unmanaged<ActiveRequest>.fromOpaque(cuv_req_data(operation))
          let isOver = link._withUnsafeGuaranteedRef { unsafeDowncast($0, to: FileRequest.self).finish() }
          if isOver { loop.requests.unusedFiles.putBack(link) }
        }
      }
    }
    cuv_file_queue_append(queue)
    isDelivering = false
    return true
  }

  /// Sets threads to work on the waiting operations.
  private func engage() {
    let wanted = cuv_file_queue_engage(queue, poolSize)
    if wanted == 0 { return }
    let loop = owner.takeUnretainedValue()
    for _ in 0..<wanted {
      let work = spares.popLast() ?? .allocate(capacity: 1)
      let code = cuv_file_queue_start(queue, loop.raw, work, threadCameBack)
      if code < 0 {
        keep(work)
        cuv_file_queue_refuse(queue, code)
        loop.queueMicrotask { [self] in deliver() }
      } else {
        engaged.append(work)
        loop.hold()
      }
    }
  }

  private func keep(_ work: UnsafeMutablePointer<uv_work_t>) {
    if spares.count < poolSize { spares.append(work) } else { work.deallocate() }
  }

  fileprivate func didComeBack(_ work: UnsafeMutablePointer<uv_work_t>, _ code: Int32) {
    if code == UV_ECANCELED.rawValue { cuv_file_queue_disengage(queue) }
    guard let index = engaged.firstIndex(of: work) else {
      preconditionFailure("a thread comes back that nobody has engaged")
    }
    engaged.swapAt(index, engaged.count - 1)
    engaged.removeLast()
    keep(work)
    _ = reportAnswers()
    engage()
    owner.takeUnretainedValue().letGo()
  }
}

extension EventLoop {
  /// Measures from now on how long the thread pool has requests; see ``poolTimes``. It costs up to three
  /// readings of the clock for each of them.
  package func measurePool() {
    if requests.poolTimes != nil { return }
    requests.poolTimes = PoolTimes()
    fileQueue.beginTiming()
  }
}

private func threadCameBack(_ work: UnsafeMutablePointer<uv_work_t>?, _ code: Int32) {
  let queue = work!.pointee.data.assumingMemoryBound(to: cuv_file_queue.self)
  // Sound: a loop doesn't go before its threads have come back.
  Unmanaged<FileQueue>.fromOpaque(queue.pointee.owner).takeUnretainedValue().didComeBack(work!, code)
}
