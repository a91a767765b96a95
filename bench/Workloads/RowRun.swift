import UV

/// What a Swift row has of its run: it is made on the loop, and says what was done when the loop has ended.
protocol RowRun: SendableMetatype {
  associatedtype Input
  associatedtype Report

  init(_ task: Input, on loop: EventLoop) throws
  func report() throws -> Report
}

extension RowRun {
  /// A row of callbacks, promises or publishers, which `body` begins on the loop.
  static func callbacks(
    _ body: @escaping @Sendable (_ run: Self, _ task: Input, _ loop: EventLoop) -> Void
  ) -> @Sendable (Input) throws -> Report {
    { task in
      try EventLoop.runCallbacks { loop in
        let run = try Self(task, on: loop)
        body(run, task, loop)
        return run
      }.report()
    }
  }

  /// A row that is a task of the loop.
  static func task(
    _ body:
      nonisolated(nonsending) @escaping @Sendable (_ run: Self, _ task: Input, _ loop: EventLoop) async throws
      -> Void
  ) -> @Sendable (Input) throws -> Report where Input: Sendable {
    { task in
      try EventLoop.run { loop in
        let run = try Self(task, on: loop)
        try await body(run, task, loop)
        return run
      }.report()
    }
  }
}
