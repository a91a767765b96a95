/// The end of a loop: whether it was asked for, and how far it has come.
struct LoopEnding {
  /// Whether the run is to end; see ``EventLoop/stop()``.
  var isStopRequested = false
  /// Whether the loop is shut down when its run has ended.
  var followsRun = false
  /// Whether the loop has been shut down, or detached from its host.
  var isClosed = false
  var lastRound = LastRound()
  /// The holds that keep an adopted loop alive.
  var holds = LoopHolds()
  /// How an adopted loop leaves its host.
  var leaving = Leaving()
  /// The end of the loop's service; nil until somebody asks for it.
  var service: (any ServiceEnd)?
  /// The objects that are notified when the service begins to end.
  private var observers: [WeakObserver] = []

  private struct WeakObserver {
    weak var object: (any ServiceObserver)?
  }

  /// Notifies an object of the beginning of the service's end, without keeping it.
  mutating func add(_ observer: any ServiceObserver) {
    // As many as there are may be gone.
    if observers.count == observers.capacity { observers.removeAll { $0.object == nil } }
    observers.append(WeakObserver(object: observer))
  }

  func tellObservers() { for observer in observers { observer.object?.serviceEnds() } }
}

/// Notified when the service of a loop begins to end.
protocol ServiceObserver: AnyObject {
  func serviceEnds()
}

/// A service that ends: its listeners close, and its connections get time.
protocol ServiceEnd: AnyObject {
  /// A listener has closed that was asked to stop.
  func didStopListening()

  /// A listener keeps connections that have waited, because its reader is busy.
  func listenerWaits(_ listener: Handle)

  /// An accepted connection has closed.
  func connectionClosed()
}

extension EventLoop {
  var isStopRequested: Bool {
    get { ending.isStopRequested }
    set {
      ending.isStopRequested = newValue
      noteEnd()
    }
  }

  /// Whether a graceful shutdown of the loop has begun; see ``shutdownGracefully(within:)``.
  public var isShuttingDown: Bool { ending.service != nil }

  func listenerWaits(_ listener: Handle) { ending.service?.listenerWaits(listener) }

  /// Called when a listener has closed that was asked to stop.
  func didStopListening() { ending.service?.didStopListening() }
}
