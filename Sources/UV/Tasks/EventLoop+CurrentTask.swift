import CUV

extension EventLoop {
  /// The task of this loop that is calling; nil if another task is.
  package var callingTask: LoopTaskBase? { currentTask }

  /// The loop whose task is calling; nil if a child task is, or a task that no loop started.
  @usableFromInline
  static var ofCallingTask: EventLoop? {
    guard let loop = current, loop.currentTask != nil else { return nil }
    return loop
  }

  /// The task of this loop that is calling. It is nil for a child task, and for a task that no loop started.
  var currentTask: LoopTaskBase? {
    @inline(__always) get { tasks.find(cuv_current_task()) }
  }

  /// The same for an iterator that keeps its task, which is looked up only when another one calls.
  ///
  /// - Returns: Whether the calling task has been cancelled.
  @usableFromInline
  func findCurrentTask(_ task: inout LoopTaskBase?) -> Bool {
    let current = cuv_current_task()
    if task?.isRun(by: current) != true { task = tasks.find(current) }
    return cuv_task_is_cancelled(current)
  }

  /// The same for a task that is about to wait. It is nil if the calling task has been cancelled, even if
  /// that is a child task: the wait then fails. If the turn's budget is used up, a cancelled task counts as
  /// one of others instead, so that it gives way before it gets the error.
  @usableFromInline
  func currentTaskUnlessCancelled() -> LoopTaskBase?? {
    let task = cuv_current_task()
    if cuv_task_is_cancelled(task) { return spend(1) ? .some(nil) : nil }
    return .some(tasks.find(task))
  }
}
