#if canImport(Combine) || Futures || Everything
import UV

extension Future {
  /// Creates a future of what an asynchronous operation returns or throws.
  ///
  /// ```swift
  /// func modelPublisher(for url: URL) -> Future<Model, any Error> {
  ///   Future { try await loadModel(from: url) }
  /// }
  /// ```
  ///
  /// The operation runs once, in a task on the current event loop that starts when the caller gives way,
  /// whether or not anybody subscribes. It shares the loop's thread, so it may use whatever the caller can
  /// see. When the last subscriber cancels, the task is cancelled.
  ///
  /// - Parameter operation: What to do. If it cannot throw, neither can the future fail; if it says what it
  ///   throws, that is how the future fails.
  ///
  /// There must be a current loop: outside one this stops the program with a message.
  ///
  /// Combine's `Future`, Swift's `Task`.
  public convenience init(operation: nonisolated(nonsending) @escaping () async throws(Failure) -> Output) {
    #if DEBUG
    noticeRequests(Output.self, "Future { … }", "write `try await request.value`")
    #endif
    let loop = EventLoop.needed(for: "Future(operation:)")
    self.init()
    let task = loop.spawn {
      do throws(Failure) { self.settle(.success(try await operation())) } catch {
        self.settle(.failure(error))
      }
    }
    // Not if it has been settled already: a loop may run tasks at once.
    if !isSettled { cancelWork = { task.cancel() } }
  }
}
#endif
