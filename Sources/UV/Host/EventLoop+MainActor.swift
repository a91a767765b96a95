import CUV

#if os(Linux)
  import Dispatch
#endif

/// A run that is called in a job of the main actor.
///
/// The main actor waits for such a run. A task of the loop that awaits the main actor then waits for the run, and the run for
/// the task. Nothing can be done for them, so the program is told and stopped: a task that hangs would be found much later.
extension EventLoop {
  /// How often a run in a job of the main actor looks at its tasks, and how often it sees them unchanged before it says so.
  private static let mainActorInterval = Duration.milliseconds(250)
  private static let patience = 8

  /// Begins to look, if this thread runs a job of the main actor.
  func beginMainActorWatch() {
    #if os(Linux)
      // A main thread that has entered no loop serves the main queue from here on. Others run a job of that queue: after
      // `dispatchMain()`, as after the first suspension of an asynchronous main, they take over the queue.
      if cuv_is_main_thread() == 0, MainQueueMark.isHere { watchMainActor() }
    #endif
  }

  func endMainActorWatch() {
    tasks.mainActorWatch.drop()
    tasks.mainActorWatch = PendingRequest()
  }

  #if os(Linux)
    /// Looks at the loop's tasks now and then until the run ends.
    func watchMainActor(since jobs: Int? = nil, unchanged: Int = 0) {
      tasks.mainActorWatch = sleepQuietly(for: Self.mainActorInterval) { [weak self] result in
        guard let self, case .success = result else { return }
        tasks.forEach { self.checkMainActor($0) }
        let jobsNow = activity.jobsFromLoop + activity.jobsFromOtherThreads
        let unchanged = jobs == jobsNow && waitsForTasksAlone ? unchanged + 1 : 0
        if unchanged == Self.patience { Self.warnOfMainActor() }
        watchMainActor(since: jobsNow, unchanged: unchanged)
      }
    }

    private func checkMainActor(_ task: LoopTaskBase) {
      require(
        !task.isKeptOnMainQueue,
        """
        EventLoop.run: the task of \(task.origin) awaits the main actor, which waits for this run, because the run was called \
        in one of its jobs. \(Self.mainActorRemedy)
        """)
    }

    /// Whether nothing is open but tasks, none of which waits for the loop.
    private var waitsForTasksAlone: Bool {
      var isAlone = openHandles.count == 0 && requests.count == 0 && timers.count == 0 && !tasks.isEmpty
      tasks.forEach { if !$0.wait.isEmpty { isAlone = false } }
      return isAlone
    }

    private static let mainActorRemedy = """
      Call it before the first `await` of an asynchronous main, or in a task that isn't the main actor's: \
      `try await Task.detached { try EventLoop.run { … } }.value`
      """

    private static func warnOfMainActor() {
      let text = """
        EventLoop.run: the loop's tasks wait for something that isn't the loop's. The run was called in a job of the main actor. \
        If they wait for the main actor or the main queue, they wait for ever. \(mainActorRemedy)\n
        """
      _ = text.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, $0.count - 1) }
    }
  #endif
}

#if os(Linux)
  /// Tells whether a thread runs something of the main queue.
  private enum MainQueueMark {
    private static let key: DispatchSpecificKey<Bool> = {
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      return key
    }()

    static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
  }
#endif
