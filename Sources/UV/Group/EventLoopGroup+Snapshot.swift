import Synchronization

extension EventLoopGroup {
  /// A snapshot of each loop of the group: its work, and its reasons to wait; see
  /// ``EventLoop/snapshot(limit:)``.
  ///
  /// The loops are asked at once, and each answers when it has time. A loop that is in a callback that
  /// doesn't return can't answer. Its snapshot has its name, and ``LoopSnapshot/hasAnswered`` is false.
  ///
  /// You can call it from any task. If the task is cancelled, it returns with the answers that have come.
  ///
  /// - Parameters:
  ///   - limit: How many tasks to list of each loop, how many handles, and so on; 0 or more.
  ///   - time: How long to wait for the answers.
  /// - Returns: A snapshot of each loop that hasn't ended, in the order of ``executors``.
  ///
  /// The corresponding libuv function is `uv_print_all_handles`.
  public func snapshots(limit: Int = 100, within time: Duration = .seconds(1)) async -> [LoopSnapshot] {
    await withTaskGroup(of: (loop: Int, snapshot: LoopSnapshot?)?.self) { asking in
      for (index, executor) in executors.enumerated() {
        asking.addTask { (index, await executor.snapshot(limit)) }
      }
      asking.addTask {
        try? await Task.sleep(for: time)
        return nil
      }
      var answers: [LoopSnapshot?] = executors.map { _ in nil }
      var missing = answers.count
      for await answer in asking {
        if let answer {
          answers[answer.loop] = answer.snapshot
          missing -= 1
        }
        // Either the time is over, or it isn't needed.
        if answer == nil || missing == 0 { asking.cancelAll() }
      }
      return answers.compactMap { $0 }
    }
  }

  /// Prints a snapshot of each loop to the standard error whenever the process receives a signal; see
  /// ``EventLoop/printSnapshot(on:limit:)``.
  ///
  /// - Parameters:
  ///   - signal: The signal to watch for.
  ///   - limit: How much to list of each loop.
  /// - Throws: `invalidArgument` for a signal that can't be watched, and `loopClosed` once the group has been
  ///   shut down.
  ///
  /// The corresponding libuv functions are `uv_signal_start` and `uv_print_all_handles`.
  public func printSnapshots(on signal: Signal, limit: Int = 100) async throws(UVError) {
    for executor in executors {
      try await executor.submit { loop throws(UVError) in _ = try loop.printSnapshot(on: signal, limit: limit)
      }
    }
  }
}

extension LoopExecutor {
  /// The loop's snapshot: an empty one if the task is cancelled before the loop has answered, nil if the loop
  /// has ended.
  fileprivate func snapshot(_ limit: Int) async -> LoopSnapshot? {
    do throws(UVError) { return try await submit { $0.snapshot(limit: limit) } } catch {
      guard error.isCancelled else { return nil }
      var snapshot = LoopSnapshot()
      snapshot.name = loopName.withLock { $0 }
      snapshot.hasAnswered = false
      return snapshot
    }
  }
}

extension EventLoopGroup {
  /// How long the turns of all the group's loops have taken together. Loops that don't measure, and loops
  /// that have ended, add nothing.
  ///
  /// ```swift
  /// for executor in group.executors { try await executor.submit { try $0.configure(.lag) } }
  /// …
  /// let lag = await group.lag()
  /// ```
  ///
  /// You can call it from any task. It waits for the turn that each loop is in. If the task is cancelled, it
  /// returns with what the loops have answered by then.
  public func lag() async -> LoopLag { await merged { $0.lag } }

  /// Has each of the group's loops begin to measure anew; see ``EventLoop/resetLag()``.
  ///
  /// - Returns: What the loops have measured since the last reset, together.
  @discardableResult
  public func resetLag() async -> LoopLag { await merged { $0.resetLag() } }

  /// A request for the lag of all the group's loops, for callbacks, promises and publishers on another loop;
  /// see ``lag()``.
  ///
  /// - Parameter loop: The loop of the calling thread, where the answer arrives. It isn't one of the group's.
  public func lag(on loop: EventLoop) -> Request<LoopLag> {
    Request(of: loop) { done in AnswerRequest(loop, "lag", done).start { await self.lag() } }
  }

  private func merged(_ read: @escaping @Sendable (EventLoop) -> LoopLag) async -> LoopLag {
    await withTaskGroup(of: LoopLag.self) { group in
      for executor in executors {
        group.addTask { (try? await executor.submit(read)) ?? LoopLag() }
      }
      var sum = LoopLag()
      for await lag in group { sum += lag }
      return sum
    }
  }
}
