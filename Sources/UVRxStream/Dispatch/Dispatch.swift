import Dispatch
import UV

/// Where and when work is done: at once, on a queue, later, on a thread of its own.
///
/// RxStream's `Dispatch`.
public struct Dispatch: Sendable {
  /// A queue that work is dispatched to.
  ///
  /// RxStream's `Queue`.
  public enum Queue: Sendable {
    /// The main queue.
    case main
    /// The system's queue for work of no particular priority.
    case background
    /// A queue of the system's for work of a lower or higher priority.
    case priorityBackground(Priority)
    /// A queue of one's own.
    case custom(CustomQueue)

    /// How soon work of a background queue is done.
    ///
    /// RxStream's `Priority`.
    public enum Priority: Sendable {
      /// When nothing else is to be done.
      case background
      /// After other work.
      case low
      /// Before other work.
      case high
    }
  }

  private enum Kind {
    case inline
    case async(Queue)
    case sync(Queue)
    case after(Duration, Queue)
    case newThread
    case thread(DispatchThread)
  }

  private let kind: Kind
  private init(_ kind: Kind) { self.kind = kind }

  /// Work is done where it is given, at once.
  public static let inline = Dispatch(.inline)

  /// Work is done on `queue`, which is not waited for.
  public static func async(on queue: Queue) -> Dispatch { Dispatch(.async(queue)) }

  /// Work is done on `queue`, which is waited for; at once where the caller is on that queue, or, for the
  /// main queue, on the main thread.
  public static func sync(on queue: Queue) -> Dispatch { Dispatch(.sync(queue)) }

  /// Work is done on `queue` when `delay` has passed.
  public static func after(delay: Duration, on queue: Queue) -> Dispatch { Dispatch(.after(delay, queue)) }

  /// Work is done on a thread made for it.
  public static let newThread = Dispatch(.newThread)

  /// Work is done on `thread`, after what that has been given before.
  public static func on(thread: DispatchThread) -> Dispatch { Dispatch(.thread(thread)) }

  /// The queue on which work is done; nil for ``inline``, ``newThread`` and ``on(thread:)``.
  public var queue: Queue? {
    switch kind {
    case .async(let queue), .sync(let queue), .after(_, let queue): queue
    case .inline, .newThread, .thread: nil
    }
  }

  /// Does `work` as this says.
  ///
  /// - Returns: A chain, to have more done after it.
  @discardableResult
  public func execute(_ work: @escaping @Sendable () -> Void) -> DispatchChain {
    let chain = DispatchChain()
    run {
      work()
      chain.finish()
    }
    return chain
  }

  func run(_ work: @escaping @Sendable () -> Void) {
    switch kind {
    case .inline: work()
    case .async(let queue): queue.dispatch.async(execute: work)
    case .sync(let queue): if queue.isCurrent { work() } else { queue.dispatch.sync(execute: work) }
    case .after(let delay, let queue):
      let nanoseconds = Int(clamping: delay.nanoseconds)
      queue.dispatch.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: work)
    case .newThread: DispatchThread().enqueue(work)
    case .thread(let thread): thread.enqueue(work)
    }
  }
}

/// A queue that knows whether it is the current one.
///
/// RxStream's `CustomQueue`.
public final class CustomQueue: Sendable {
  let dispatch: DispatchQueue
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  /// How many pieces of work a queue does at a time.
  public enum Kind: Sendable {
    /// One after the other.
    case serial
    /// As many as the system has threads for.
    case concurrent
  }

  /// Creates a serial queue.
  ///
  /// - Parameter label: What tools call it.
  public convenience init(_ label: String) { self.init(type: .serial, name: label) }

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - type: Whether it does one piece of work at a time.
  ///   - name: What tools call it.
  public init(type: Kind, name: String) {
    dispatch = DispatchQueue(label: name, attributes: type == .serial ? [] : .concurrent)
    dispatch.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  /// Whether the caller is on this queue.
  public var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }
}

extension Dispatch.Queue: Equatable {
  /// Whether work that is dispatched to either is done by the same queue.
  public static func == (a: Dispatch.Queue, b: Dispatch.Queue) -> Bool {
    switch (a, b) {
    case (.main, .main), (.background, .background): true
    case (.priorityBackground(let a), .priorityBackground(let b)): a == b
    case (.custom(let a), .custom(let b)): a === b
    default: false
    }
  }
}

extension Dispatch.Queue {
  var dispatch: DispatchQueue {
    switch self {
    case .main: .main
    case .background: .global()
    case .priorityBackground(.background): .global(qos: .background)
    case .priorityBackground(.low): .global(qos: .utility)
    case .priorityBackground(.high): .global(qos: .userInitiated)
    case .custom(let queue): queue.dispatch
    }
  }

  /// Marks the main queue, which threads other than the main one may serve.
  private static let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether waiting for this queue would be for oneself.
  var isCurrent: Bool {
    switch self {
    case .custom(let queue): queue.isCurrent
    case .main: isMainThread || DispatchQueue.getSpecific(key: Self.mainKey) == true
    case .background, .priorityBackground: false
    }
  }
}

// Sound: its state is touched under the queue.
/// Work that follows other work.
///
/// RxStream's `Dispatch` chain.
public final class DispatchChain: @unchecked Sendable {
  private let lock = DispatchQueue(label: "DispatchChain")
  private var isFinished = false
  private var next: [@Sendable () -> Void] = []

  /// Does `work` as `dispatch` says, after the work before it. Several may follow the same work.
  @discardableResult
  public func then(_ dispatch: Dispatch, _ work: @escaping @Sendable () -> Void) -> DispatchChain {
    let chain = DispatchChain()
    let start: @Sendable () -> Void = {
      dispatch.run {
        work()
        chain.finish()
      }
    }
    let startsNow = lock.sync {
      if !isFinished { next.append(start) }
      return isFinished
    }
    if startsNow { start() }
    return chain
  }

  func finish() {
    let next = lock.sync {
      isFinished = true
      defer { self.next = [] }
      return self.next
    }
    for start in next { start() }
  }
}
