/// A run whose tasks wait for what isn't the loop's.
extension EventLoop {
  /// Notifies the values of the loop that it ends, before the run does, if its tasks wait for what they have.
  ///
  /// A task that awaits a future of SwiftNIO isn't woken by its cancellation. The future is answered when the
  /// loop ends, and the loop would wait for the task. So once all tasks have been seen to wait for something
  /// that isn't the loop's, and none has run for a while, what the values have ends first.
  ///
  /// - Parameter jobs: How many jobs had reached the loop when it was last looked at.
  func endLocalsInTime(since jobs: Int? = nil) {
    guard ties.locals.values.contains(where: { $0.observer != nil }) else { return }
    _ = sleepQuietly(for: .milliseconds(50)) { [weak self] result in
      guard let self, case .success = result else { return }
      let jobsNow = jobCount
      var isIdle = jobs == jobsNow
      tasks.forEach { if !$0.wait.isEmpty { isIdle = false } }
      if isIdle { return tellLocals() }
      endLocalsInTime(since: jobsNow)
    }
  }
}
