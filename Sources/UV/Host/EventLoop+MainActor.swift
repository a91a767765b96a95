import CUV

#if os(Linux)
import Dispatch
#endif

/// A run that is called in a job of the main actor.
///
/// The main actor waits for such a run. A task of the loop that awaits the main actor then waits for the run,
/// and the run for the task. Nothing can be done for them, so the program stops with a message: a task that
/// hangs would be found much later.
///
/// A task that awaits the main actor through somebody else, such as another task, can't be distinguished from one that
/// waits for its turn elsewhere. So a message is printed after a while, once, and the program goes on.
extension EventLoop {
  /// How often a run in a job of the main actor looks at its tasks.
  private static let mainActorInterval = Duration.milliseconds(250)

  /// Begins to look, if this thread runs a job of the main actor.
  func beginMainActorWatch() {
    #if os(Linux)
    // A main thread that has entered no loop serves the main queue from here on. Others run a job of that
    // queue: after `dispatchMain()`, as after the first suspension of an asynchronous main, they take over
    // the queue.
    if cuv_is_main_thread() == 0, MainQueueMark.isHere { watchMainActor() }
    #endif
  }

  func endMainActorWatch() {
    tasks.mainActorWatch.drop()
    tasks.mainActorWatch = PendingRequest()
  }

  #if os(Linux)
  /// Looks at the loop's tasks now and then until the run ends.
  func watchMainActor(_ looks: MainActorLooks = MainActorLooks()) {
    tasks.mainActorWatch = sleepQuietly(for: Self.mainActorInterval) { [weak self] result in
      guard let self, case .success = result else { return }
      tasks.forEach { self.checkMainActor($0) }
      var looks = looks
      if let task = looks.look(at: self) { Self.warnOfMainActor(task) }
      watchMainActor(looks)
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

  private static let mainActorRemedy = """
    Call it before the first `await` of an asynchronous main, or in a task that isn't the main actor's: \
    `try await Task.detached { try EventLoop.run { … } }.value`
    """

  private static func warnOfMainActor(_ task: LoopTaskBase) {
    printToStandardError(
      """
      EventLoop.run: the task of \(task.origin) has waited for a while for something that isn't the loop's. The run was called \
      in a job of the main actor. If that task waits for the main actor or the main queue, if only through another task, it \
      waits for ever. \(mainActorRemedy)
      """)
  }
  #endif
}

#if os(Linux)
/// A run's looks at its tasks, while a job of the main actor waits for it.
struct MainActorLooks {
  /// How many looks in a row a task is seen to wait elsewhere before a message is printed: on a loop that
  /// runs no task meanwhile, and on others. There the task may have run between two looks.
  private static let patience = (quiet: 8, busy: 40)

  private var jobs = 0
  private var quietLooks = 0
  /// In how many looks in a row each task has waited for something that isn't the loop's, by the task's
  /// number.
  private var elsewhere: [UInt64: Int] = [:]
  private var hasReported = false

  /// Returns the task that the program hears of now.
  mutating func look(at loop: EventLoop) -> LoopTaskBase? {
    if hasReported { return nil }
    let jobs = loop.jobCount
    quietLooks = jobs == self.jobs ? quietLooks + 1 : 0
    self.jobs = jobs
    let patience = quietLooks >= Self.patience.quiet ? Self.patience.quiet : Self.patience.busy
    let before = elsewhere
    elsewhere = [:]
    var found: LoopTaskBase?
    loop.tasks.forEach { task in
      guard task.keepsRunElsewhere else { return }
      let looks = before[task.number, default: 0] + 1
      elsewhere[task.number] = looks
      if looks > patience { found = task }
    }
    hasReported = found != nil
    return found
  }
}

/// Says whether a thread runs something of the main queue.
private enum MainQueueMark {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
}
#endif
