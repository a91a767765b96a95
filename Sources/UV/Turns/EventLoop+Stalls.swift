import CStack
import CUV
import Synchronization

extension EventLoop {
  /// Reports each turn of the loop that takes longer than a limit, while it takes that long, with the calls that the
  /// loop's thread is in. Use it to find the function that blocks a loop. Call it on the loop's thread; calling it again
  /// replaces the limit and the handler.
  ///
  /// ```swift
  /// try loop.watchStalls(longerThan: .milliseconds(50)) { stall in
  ///   log.warning("\(stall.function ?? "something") blocks \(stall.loop)")
  /// }
  /// ```
  ///
  /// One thread watches all loops of the process that are watched. It looks at them four times in each limit, and
  /// a turn of the loop pays two stores for that. When a turn takes too long, the thread sends a signal to the loop's
  /// thread, which copies its stack. So a system call that the loop is blocked in is interrupted once for each stall.
  /// The system goes on with `read`, `write`, `accept`, `flock` and `waitpid` as if nothing had happened. It doesn't
  /// go on with `usleep`, `nanosleep`, `poll`, `select`, `epoll_wait`, `sem_timedwait`, and sockets that have a timeout of their
  /// own: these return early, with `EINTR`.
  ///
  /// A loop that waits for events isn't stalled. On an adopted loop, callbacks of the host count only if they come after
  /// one of this library in the same turn. Don't watch the loop of a host that waits for events outside of `uv_run`.
  ///
  /// - Parameters:
  ///   - limit: How long a turn may take, 1 ms or more; it is counted in whole milliseconds.
  ///   - signal: The signal that is used, the same for all loops. By default it is a real-time signal, `SIGRTMIN + 6` with
  ///     glibc. Choose another if something else in the process uses that one. A handler that is installed for the signal
  ///     gets the signals that aren't this library's, and is put back when no loop is watched any more.
  ///   - handler: What to do with a stall. It is called on the thread that watches, once for each turn that takes too
  ///     long; no loop is watched meanwhile. By default the ``Stall/description`` is written to the standard error.
  /// - Throws: `invalidArgument` for a shorter limit and for a signal that can't be caught; `loopClosed`; `wouldBlock` or
  ///   `outOfMemory` if the system has no thread left.
  ///
  /// libuv has no corresponding function.
  public func watchStalls(
    longerThan limit: Duration = .milliseconds(100), signal: Signal? = nil,
    _ handler: @escaping @Sendable (Stall) -> Void = { printToStandardError($0.description) }
  ) throws(UVError) {
    if isClosed { throw UVError(.loopClosed, operation: "watchStalls") }
    guard limit >= .milliseconds(1) else {
      throw UVError(.invalidArgument, operation: "watchStalls", subject: "a limit of \(limit) (1 ms or more)")
    }
    let number = signal?.rawValue ?? cstack_default_signal()
    let watch = StallWatch(
      mark: stallWatch.flatMap { $0.signal == number ? $0.mark : nil } ?? TurnMark(signal: number),
      limit: limit.nanoseconds / 1_000_000, signal: number, name: name, handler: handler)
    try StallWatchdog.shared.add(watch)
    if let old = stallWatch {
      watch.count.store(old.count.load(ordering: .relaxed), ordering: .relaxed)
      StallWatchdog.shared.remove(old)
      if old.mark !== watch.mark { old.mark.leave() }
    }
    // The old mark may go with its watch.
    tasks.publish(to: nil)
    stallWatch = watch
    watchTurns { $0.turn = watch.mark.turn }
    tasks.publish(to: watch.mark.tasks)
  }

  /// Ends what ``watchStalls(longerThan:signal:_:)`` began; otherwise the loop's end does. Call it on the loop's thread.
  /// The handler may be called once more if it is running now.
  ///
  /// libuv has no corresponding function.
  public func stopWatchingStalls() {
    guard let watch = stallWatch.take() else { return }
    tasks.publish(to: nil)
    turnWatch?.turn = nil
    watch.mark.leave()
    StallWatchdog.shared.remove(watch)
  }

  /// How many stalls of the loop have been reported since it is watched; 0 if it isn't. Call it on the loop's thread.
  ///
  /// libuv has no corresponding function.
  public var stallCount: Int { stallWatch?.count.load(ordering: .relaxed) ?? 0 }

  /// The loop is about to close its handles.
  func endObservation() {
    stopWatchingStalls()
    stopWatchingTurns()
  }
}

/// Writes a text and the end of a line.
@usableFromInline
func printToStandardError(_ text: String) {
  let line = "\(text)\n"
  _ = line.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, $0.count - 1) }
}
