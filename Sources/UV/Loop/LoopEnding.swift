import CUV

/// The end of a loop: whether it was asked for, and how far it has come.
struct LoopEnding {
  /// Whether the run is to end; see ``EventLoop/stop()``.
  var isStopRequested = false
  /// Whether the loop is shut down when its run has ended.
  var followsRun = false
  /// Whether the loop has been shut down, or detached from its host.
  var isClosed = false
  var lastRound = LastRound()
  /// The holds that keep an adopted loop alive.
  var holds = LoopHolds()
  /// How an adopted loop leaves its host.
  var leaving = Leaving()
  /// The end of the loop's service; nil until somebody asks for it.
  var service: (any ServiceEnd)?
  /// The objects that are notified when the service begins to end.
  private var observers: [WeakObserver] = []

  private struct WeakObserver {
    weak var object: (any ServiceObserver)?
  }

  /// Notifies an object of the beginning of the service's end, without keeping it.
  mutating func add(_ observer: any ServiceObserver) {
    // As many as there are may be gone.
    if observers.count == observers.capacity { observers.removeAll { $0.object == nil } }
    observers.append(WeakObserver(object: observer))
  }

  func notifyObservers() { for observer in observers { observer.object?.serviceEnds() } }
}

/// The holds that keep an adopted loop alive. Such a loop can't wait for pending work by running, so it keeps
/// itself alive until the work has ended. Other loops don't need this and skip it.
struct LoopHolds {
  /// How many things are under way: requests, closing handles, timers and tasks.
  var count = 0
  /// The loop's reference to itself while anything is under way, or while a turn has been asked for. Balanced
  /// when the last of these ends.
  var retained: Unmanaged<EventLoop>?
}

/// Notified when the service of a loop begins to end.
protocol ServiceObserver: AnyObject {
  func serviceEnds()
}

/// A service that ends: its listeners close, and its connections get time.
protocol ServiceEnd: AnyObject {
  /// A listener has closed that was asked to stop.
  func didStopListening()

  /// A listener keeps connections that have waited, because its reader is busy.
  func listenerWaits(_ listener: Handle)

  /// An accepted connection has closed.
  func connectionClosed()
}

extension EventLoop {
  var isStopRequested: Bool {
    get { ending.isStopRequested }
    set {
      ending.isStopRequested = newValue
      noteEnd()
    }
  }

  /// Whether a graceful shutdown of the loop has begun; see ``shutdownGracefully(within:)``.
  public var isShuttingDown: Bool { ending.service != nil }

  func listenerWaits(_ listener: Handle) { ending.service?.listenerWaits(listener) }

  /// Called when a listener has closed that was asked to stop.
  func didStopListening() { ending.service?.didStopListening() }
}

extension EventLoop {
  /// Closes everything that is open on the loop, ends what is pending with `cancelled`, and frees the loop.
  /// It waits for work that has begun on the thread pool. Calling it again does nothing.
  ///
  /// From now on every operation on the loop fails with `loopClosed`. If a completion that is called during
  /// the shutdown makes a new request, that request gets no answer; see ``Completion``. If it spawns a task,
  /// the task is cancelled from its start, and the shutdown waits for it.
  ///
  /// Calling this function while the loop runs stops the program with a message; use ``stop()`` there. On an
  /// adopted loop it does the same as ``detach()``.
  ///
  /// The corresponding libuv function is `uv_loop_close`.
  public func shutdown() {
    guard !isClosed else { return }
    if isAdopted { return startDetaching() }
    require(!isRunning, "shutdown() inside a running loop; use stop(), which ends the run")
    let previous = EventLoop.current
    EventLoop.current = self
    executor.bindToCurrentThread()
    isStopRequested = true
    // From here on nothing more begins.
    ending.isClosed = true
    noteEnd()
    beginLastRound()
    tasks.cancelAll()
    drain()
    notifyLocals()
    drain()
    repeat {
      repeat {
        timers.cancelAll()
        timers.quiet?.cancelAll()
        requests.cancelAll()
        closeHandles()
        drain()
        uv_run(raw, UV_RUN_NOWAIT)
        runAllReceived()
      } while (!isIdle || fileQueue.isBusy) && waitForPoolOrTasks()
      forsakeAnswers()
      drain()
      runRest()
    } while !isIdle || !executor.closeIfEmpty()
    closeInternals()
    uv_run(raw, UV_RUN_DEFAULT)
    let code = uv_loop_close(raw)
    require(code == 0, "uv_loop_close: \(UVError.Code(rawValue: code).message)")
    EventLoop.current = previous
    leaveThreads()
  }

  /// Runs what is queued, even if it takes more than a turn's budget. A task whose job was dropped would never end, nor would
  /// a caller that waits for it. Work that this queues runs too, for a limited number of rounds.
  private func runRest() {
    for _ in 0..<LastRound.longestLine where !microtasks.isEmpty { runAllReceived() }
  }

  /// Closes the handles that the loop needs for itself.
  func closeInternals() {
    timers.close()
    timers.quiet?.close()
    endObservation()
    work.givenUp.close(self)
    internals.close(self)
  }

  /// Waits for the next event of work that can't be hurried: a job of the thread pool, or a task that ignores
  /// its cancellation.
  private func waitForPoolOrTasks() -> Bool {
    if microtasks.isEmpty { uv_run(raw, UV_RUN_ONCE) }
    return true
  }
}

// MARK: Adopted loops

extension EventLoop {
  /// Whether the loop keeps itself alive.
  var isHeld: Bool { ending.holds.retained != nil }

  /// Notes that something is under way that will call the loop again.
  @inline(__always)
  func hold() { if isAdopted { holdOnce() } }

  /// Ends one ``hold()``.
  @inline(__always)
  func letGo() { if isAdopted { letGoOnce() } }

  private func holdOnce() {
    assertOnLoop()
    ending.holds.count += 1
    keepAlive()
  }

  /// Keeps the loop alive until ``settle()`` finds nothing under way.
  func keepAlive() { if !isHeld { ending.holds.retained = .passRetained(self) } }

  private func letGoOnce() {
    assertOnLoop()
    assert(ending.holds.count > 0, "a hold ends that hasn't begun")
    ending.holds.count -= 1
    // Not from here, because the caller may use the loop afterwards.
    if ending.holds.count == 0, !internals.pump() { didDetach() }
  }

  /// Whether nothing is under way that will call the loop again.
  var isSettled: Bool { ending.holds.count == 0 && microtasks.isEmpty && !internals.isPumping }

  /// The loop no longer keeps itself alive.
  func releaseHold() {
    guard let retained = ending.holds.retained.take() else { return }
    retained.release()
  }
}
