import CUV
import Synchronization

/// Event loops on threads of their own, one for each core. Use it for a server that needs more than one
/// thread.
///
/// ```swift
/// let group = try EventLoopGroup()
/// try EventLoop.run { loop in
///   try await group.serve(port: 8080) { connection in
///     do {
///       for try await chunk in connection { try await connection.write(chunk).value }
///     } catch { print(error) }
///   }
///   let report = try await group.shutdownGracefully(
///     onSignals: [.terminate, .interrupt], within: .seconds(10), on: loop
///   ).value
///   print("\(report.count) connections were cut off")
/// }
/// ```
///
/// You can use a group from any thread, and reach its loops through ``executors``. When the last reference to
/// the group goes, its loops stop: tasks are cancelled, and everything that is open is closed.
public final class EventLoopGroup: Sendable {
  /// The executors of the group's loops. Other threads use them to reach the loops.
  public let executors: [LoopExecutor]
  private let threads = LoopThreads()
  private let turns = Atomic<Int>(0)
  private let ending = Ending()

  /// How many cores this process may use, and so how many loops a group has by default.
  ///
  /// The corresponding libuv function is `uv_available_parallelism`.
  public static var defaultCount: Int { Int(uv_available_parallelism()) }

  /// Starts the threads, each with a loop that runs until the group is shut down.
  ///
  /// - Parameter count: How many loops, 1 or more.
  /// - Throws: `invalidArgument` for a count below 1. `tooManyOpenFiles`, `wouldBlock` or `outOfMemory` if
  ///   the system has no more descriptors, threads or memory; the threads that had been started then end.
  ///
  /// The corresponding libuv function is `uv_thread_create_ex`.
  public init(count: Int = EventLoopGroup.defaultCount) throws(UVError) {
    guard count >= 1 else {
      throw UVError(.invalidArgument, operation: "EventLoopGroup", subject: "\(count) loops (1 or more)")
    }
    var started: [LoopExecutor] = []
    do throws(UVError) {
      for _ in 0..<count { started.append(try threads.start()) }
    } catch {
      for executor in started { executor.stop() }
      throw error
    }
    executors = started
  }

  deinit { for executor in executors { executor.stop() } }

  /// The next loop in turn. Use it to spread work over the loops. You can call it from any thread.
  public func next() -> LoopExecutor {
    let turn = turns.wrappingAdd(1, ordering: .relaxed).oldValue
    return executors[Int(UInt(bitPattern: turn) % UInt(executors.count))]
  }

  // MARK: Ending

  /// Ends the group. It accepts no more connections. Those that were accepted get time to end by themselves;
  /// those that haven't ended by then are reset. Then the threads end. See
  /// ``EventLoop/shutdownGracefully(within:)``.
  ///
  /// You may call it again: all calls wait for the same end, and the shortest limit counts. Don't await it in
  /// a task of the group's own loops. Such a task would wait for itself, and is cancelled when its loop
  /// stops.
  ///
  /// If the task is cancelled, the waiting ends at once, with a report that isn't complete. The group ends
  /// all the same, in the time that it was given; call this again to give it less.
  ///
  /// - Parameter limit: How long the connections may take. Zero or less gives them no time.
  /// - Returns: What was cut off, once the threads have ended. All calls get the same report.
  ///
  /// The corresponding libuv functions are `uv_close` and `uv_tcp_close_reset`.
  public func shutdownGracefully(within limit: Duration) async -> ShutdownReport {
    let deadline = LoopClock.Instant.now.advanced(by: limit)
    // Not the caller's task: it may be cancelled, and the group is to end.
    let ending = Task.detached { await self.end(until: deadline) }
    let answer = TaskAnswer<ShutdownReport>("shutdownGracefully")
    let outcome = await answer.wait { Task.detached { answer.answer(.success(await ending.value)) } }
    return (try? outcome.get()) ?? ShutdownReport(isComplete: false)
  }

  /// Ends the group once, whoever asks. A later call with less time only hurries the drains of the first: if
  /// it stopped the loops itself, the first would find no loop to ask for its report.
  private func end(until deadline: LoopClock.Instant) async -> ShutdownReport {
    let (end, isFirst) = ending.task.withLock { task in
      if let task { return (task, false) }
      let end = Task.detached {
        let report = await self.drainTwice(until: deadline)
        for executor in self.executors { executor.stop() }
        await self.threads.ended()
        return report
      }
      task = end
      return (end, true)
    }
    if !isFirst { _ = await drainTwice(until: deadline) }
    return await end.value
  }

  private func drainTwice(until deadline: LoopClock.Instant) async -> ShutdownReport {
    // All loops are notified at once: one that is stuck in a callback doesn't let the others accept meanwhile.
    _ = await drain(until: deadline)
    // By now none listens. A connection that one loop had accepted for another may have come after the other
    // had drained; so each drains once more. Its report counts all that it has cut off.
    return await drain(until: deadline)
  }

  private func drain(until deadline: LoopClock.Instant) async -> ShutdownReport {
    await withTaskGroup(of: ShutdownReport.self) { group in
      for executor in executors {
        group.addTask { await executor.drainConnections(until: deadline) }
      }
      var report = ShutdownReport()
      for await part in group { report += part }
      return report
    }
  }

  /// A request to end the group, for callbacks, promises and publishers on another loop; see
  /// ``shutdownGracefully(within:)``.
  ///
  /// - Parameters:
  ///   - limit: How long the connections may take. Zero or less gives them no time.
  ///   - loop: The loop of the calling thread, where the answer arrives. It isn't one of the group's.
  ///
  /// The corresponding libuv functions are `uv_close` and `uv_tcp_close_reset`.
  public func shutdownGracefully(within limit: Duration, on loop: EventLoop) -> Request<ShutdownReport> {
    Request(of: loop) { done in
      AnswerRequest(loop, "shutdownGracefully", done).start { await self.shutdownGracefully(within: limit) }
    }
  }

  /// A request to end the group when the process receives a signal; see ``shutdownGracefully(within:)``. If
  /// another of these signals comes before the end, the connections get no more time.
  ///
  /// The signals are watched on `loop`, as ``EventLoop/shutdownGracefully(onSignals:within:)`` says. The
  /// request keeps `loop` running, since the group's work doesn't.
  ///
  /// - Parameters:
  ///   - signals: The signals to wait for, at least one.
  ///   - limit: How long the connections may take from the signal on. Zero or less gives them no time.
  ///   - loop: The loop of the calling thread, where the answer arrives. It isn't one of the group's.
  ///
  /// The corresponding libuv functions are `uv_signal_start` and `uv_close`.
  public func shutdownGracefully(
    onSignals signals: [Signal], within limit: Duration, on loop: EventLoop
  ) -> Request<ShutdownReport> {
    Request(of: loop) { [self] done in
      let shutdown = SignalledShutdown(on: loop, within: limit, keepsLoopRunning: true) { limit, done in
        self.shutdownGracefully(within: limit, on: loop).start(done)
      }
      let pending = shutdown.start(signals, done)
      shutdown.otherEnd = AnswerRequest(loop, "shutdownGracefully") { shutdown.endsOtherwise($0) }.start {
        [threads, ending] in
        await threads.ended()
        return await ending.task.withLock { $0 }?.value ?? ShutdownReport()
      }
      return pending
    }
  }
}

/// The end of a group, which knows its report; apart from the group, so that one who waits doesn't keep the group.
private final class Ending: Sendable {
  let task = Mutex<Task<ShutdownReport, Never>?>(nil)
}

extension LoopExecutor {
  /// Shuts the loop down gracefully in the time that is left.
  fileprivate func drainConnections(until deadline: LoopClock.Instant) async -> ShutdownReport {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<ShutdownReport, Never>) in
      do throws(UVError) {
        try execute { loop in
          loop.shutdownGracefully(within: LoopClock.Instant.now.duration(to: deadline)) { result in
            continuation.resume(returning: (try? result.get()) ?? ShutdownReport())
          }
        }
      } catch {
        // It has ended already.
        continuation.resume(returning: ShutdownReport())
      }
    }
  }
}
