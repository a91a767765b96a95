import CUV

/// The work of a ``Request`` of another module that is often done at once. A task that awaits the request then
/// goes on without a wait, as it does after a write that the system takes.
@usableFromInline
package protocol DirectWork: AnyObject {
  /// The loop of the request.
  var loop: EventLoop { get }

  /// Does the work. Called on the loop's thread.
  ///
  /// - Returns: The outcome; nil if the work can't be done at once. Nothing has then been done.
  func doAtOnce() -> Result<Void, UVError>?

  /// Starts the work; see ``Request/start(_:)``.
  func start(_ done: @escaping Completion<Void>) -> PendingRequest
}

extension DirectWork {
  /// Does the work for the calling task. It isn't done if the task is cancelled, and if the turn's budget is
  /// used up.
  @usableFromInline
  func doAtOnceForTask() -> Result<Void, UVError>? {
    cuv_task_is_cancelled(cuv_current_task()) || loop.spend(1) ? nil : doAtOnce()
  }
}

extension Request where Success == Void {
  /// Creates a request whose work is often done at once.
  package init(_ work: any DirectWork, operation: StaticString = #function) {
    body = .direct(work, RequestName(operation)) { $0 }
  }
}
