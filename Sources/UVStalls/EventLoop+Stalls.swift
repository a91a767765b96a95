import CUV
public import StallWatch
public import UV

extension EventLoop {
  /// Reports each turn of the loop that takes longer than a limit, while it takes that long, with the calls
  /// that the loop's thread is in. Use it to find the function that blocks a loop. Call it on the loop's
  /// thread; calling it again replaces the limit and the handler.
  ///
  /// ```swift
  /// try loop.watchStalls(longerThan: .milliseconds(50)) { stall in
  ///   log.warning("\(stall.function ?? "something") blocks \(stall.name)")
  /// }
  /// ```
  ///
  /// `StallWatcher` of `StallWatch` says how this works, and which system calls return early because of it. A
  /// turn of the loop pays two stores.
  ///
  /// A loop that waits for events isn't stalled. On an adopted loop, callbacks of the host count only if they
  /// come after one of this library in the same turn. Don't watch the loop of a host that waits for events
  /// outside of `uv_run`.
  ///
  /// - Parameters:
  ///   - limit: How long a turn may take, 1 ms or more; it is counted in whole milliseconds.
  ///   - signal: The signal that is used, the same for all loops. By default it is a real-time signal,
  ///     `SIGRTMIN + 6` with glibc. Choose another if something else in the process uses that one. A handler
  ///     that is installed for the signal gets the signals that aren't this library's, and is put back when
  ///     no loop is watched any more.
  ///   - handler: What to do with a stall. It is called on the thread that watches, once for each turn that
  ///     takes too long; no loop is watched meanwhile. By default the `description` of the stall is written
  ///     to the standard error.
  /// - Throws: `invalidArgument` for a shorter limit and for a signal that can't be caught; `loopClosed`;
  ///   `wouldBlock` or `outOfMemory` if the system has no thread left.
  public func watchStalls(
    longerThan limit: Duration = .milliseconds(100), signal: Signal? = nil,
    _ handler: @escaping @Sendable (Stall) -> Void = { printToStandardError($0.description) }
  ) throws(UVError) {
    if isClosed { throw UVError(.loopClosed, operation: "watchStalls") }
    do throws(StallWatchError) {
      observeTurns(try LoopStalls(self, limit, signal?.rawValue, counted: stallCount, handler))
    } catch {
      switch error {
      case .limit(let limit):
        throw UVError(
          .invalidArgument, operation: "watchStalls", subject: "a limit of \(limit) (1 ms or more)")
      case .system(let code):
        throw UVError(UVError.Code(rawValue: uv_translate_sys_error(code)), operation: "watchStalls")
      }
    }
  }

  /// Ends what ``watchStalls(longerThan:signal:_:)`` began; otherwise the loop's end does. Call it on the
  /// loop's thread. The handler may be called once more if it is running now.
  public func stopWatchingStalls() { observeTurns(nil) }

  /// How many stalls of the loop have been reported since it is watched; 0 if it isn't. Call it on the loop's
  /// thread.
  public var stallCount: Int { (turnObserver as? LoopStalls)?.watcher.count ?? 0 }
}

extension LoopExecutor {
  /// The watcher of the loop's stalls; nil if there is none. Any thread may ask.
  package var stallWatcher: StallWatcher? { StallWatcher.watcher(of: ObjectIdentifier(self)) }
}

/// A loop that is watched for stalls.
private final class LoopStalls: TurnObserver {
  let watcher: StallWatcher
  let places: UnsafeMutablePointer<cuv_task_places>

  init(
    _ loop: EventLoop, _ limit: Duration, _ signal: Int32?, counted count: Int,
    _ handler: @escaping @Sendable (Stall) -> Void
  ) throws(StallWatchError) {
    let places = UnsafeMutablePointer<cuv_task_places>.allocate(capacity: 1)
    places.initialize(to: cuv_task_places())
    self.places = places
    do throws(StallWatchError) {
      watcher = try StallWatcher(
        loop.name, limit, signal, counted: count, cuv_find_task_place, places,
        of: ObjectIdentifier(loop.executor), handler)
    } catch {
      places.deallocate()
      throw error
    }
  }

  deinit { places.deallocate() }

  var turn: UnsafeMutablePointer<cuv_turn> {
    // Sound: the watcher's turn begins with these words.
    UnsafeMutableRawPointer(watcher.turn).assumingMemoryBound(to: cuv_turn.self)
  }

  func bind() { watcher.bind() }
  func leave() { watcher.leave() }
  func stop() { watcher.stop() }
}
