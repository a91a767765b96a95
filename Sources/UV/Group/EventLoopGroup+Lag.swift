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
