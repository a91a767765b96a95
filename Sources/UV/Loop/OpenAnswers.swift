import CUV
import Synchronization

/// An object of a loop's that somebody answers by hand, on whatever thread: a pending promise or future.
package protocol Answerable: AnyObject {
  /// Gives up what waits for the answer, since none will come, and returns what is left to do about that, on the loop's
  /// thread.
  ///
  /// Called within ``OpenAnswers/withLock(_:)``, where the object may be going away on another thread: it can be
  /// used until this returns, and nothing may hold on to it.
  func forsake() -> (() -> Void)?
}

/// The answers that a loop waits for. They keep it running while somebody is left who can give them: whoever can holds
/// an ``AnswerRight``.
///
/// All that are opened in one turn share one of these and one right, which the loop holds until the turn ends. So an
/// answer that is given in the turn in which it was asked for costs no allocation and does not touch libuv's loop.
///
/// Objects are not held here. One that goes away, perhaps on another thread, leaves by ``leave(_:)``.
@usableFromInline
// Sound: touched on the loop's thread only, but for the atomics, and the places, of which each belongs to its object
// until that leaves, under the lock.
package final class OpenAnswers: @unchecked Sendable {
  private struct Place {
    // Sound: an object leaves before it goes away.
    unowned(unsafe) var object: (any Answerable)?
  }

  let executor: LoopExecutor
  private let places: UnsafeMutablePointer<Place>
  let capacity: Int
  private var next = 0
  /// How many have no answer yet. Written by the loop.
  private let open = Atomic<Int>(0)
  /// How many answers are on their way from other threads.
  private let sent = Atomic<Int>(0)
  /// Whether nobody is left who could answer.
  private let isForlorn = Atomic<Bool>(false)
  /// The place in the loop's list of those that keep it running.
  var index: Int?

  init(_ executor: LoopExecutor, capacity: Int) {
    self.executor = executor
    self.capacity = capacity
    places = .allocate(capacity: capacity)
    places.initialize(repeating: Place(), count: capacity)
  }

  deinit { places.deallocate() }

  // Sound: a pointer to a mutex. Recursive, as an object may go away while the lock is held for another.
  nonisolated(unsafe) private static let lock = Lock(isRecursive: true)

  /// Runs `body` while no object that is open can go away on another thread.
  package static func withLock<T>(_ body: () -> T) -> T { lock.withLock(body) }

  // MARK: On the loop's thread

  var count: Int {
    @inline(__always) get { open.load(ordering: .relaxed) }
  }

  /// Adds an object, and says its place; false if there is no room.
  @inline(__always)
  func add(_ object: any Answerable, _ place: inout AnswerPlace) -> Bool {
    if next == capacity { return false }
    places[next].object = object
    place = AnswerPlace(Unmanaged.passUnretained(self), next)
    next &+= 1
    open.store(count &+ 1, ordering: .relaxed)
    return true
  }

  /// The object in `place`, which somebody holds, has its answer.
  @inline(__always)
  fileprivate func close(_ place: Int) {
    places[place].object = nil
    didClose(1)
  }

  private func didClose(_ closed: Int) {
    let left = count &- closed
    open.store(left, ordering: .releasing)
    if left > 0 { return }
    next = 0
    if index != nil { executor.endKeeping(self) }
  }

  /// Whoever could answer has gone, or the loop ends: has all that are open told.
  func forsakeAll() {
    var closed = 0
    var endings: [() -> Void] = []
    Self.withLock {
      for place in 0..<next {
        guard let object = places[place].object else { continue }
        places[place].object = nil
        closed += 1
        if let ending = object.forsake() { endings.append(ending) }
      }
    }
    if closed > 0 { didClose(closed) }
    for ending in endings { ending() }
  }

  // MARK: From any thread

  fileprivate func leave(_ place: Int, of object: any Answerable) -> () -> Void {
    places[place].object = nil
    let departure = Departure(self, object.forsake() ?? {}, object)
    return { [executor] in
      if executor.isOnLoop || !executor.send(departure) { departure.take() }
    }
  }

  /// Called when nobody is left who could answer.
  fileprivate func rightEnded() {
    isForlorn.store(true, ordering: .sequentiallyConsistent)
    // In this order: what arrives at the loop is taken from `sent` first.
    let open = open.load(ordering: .sequentiallyConsistent)
    let sent = sent.load(ordering: .sequentiallyConsistent)
    if open <= sent { return }
    if sent == 0, executor.isOnLoop { forsakeAll() } else { _ = executor.send(Departure(self, nil, nil)) }
  }

  fileprivate func send(_ object: AnyObject, _ body: @escaping (AnyObject) -> Void) {
    sent.add(1, ordering: .sequentiallyConsistent)
    _ = executor.send(Answer(self, object, body))
  }

  fileprivate func arrive() {
    sent.subtract(1, ordering: .sequentiallyConsistent)
  }

  fileprivate func lookForLosses() {
    // What was sent comes first.
    if isForlorn.load(ordering: .sequentiallyConsistent), sent.load(ordering: .sequentiallyConsistent) == 0 {
      forsakeAll()
    }
  }

  fileprivate func departed(_ ending: (() -> Void)?) {
    if let ending {
      didClose(1)
      ending()
    } else {
      lookForLosses()
    }
  }
}

/// Where an object is among the open answers of its loop.
@usableFromInline
package struct AnswerPlace {
  // Sound: they are kept while an object is among them; the object forgets its place when it is not any more.
  private let answers: Unmanaged<OpenAnswers>?
  private let index: Int

  /// No place.
  @usableFromInline
  package init() { (answers, index) = (nil, 0) }

  fileprivate init(_ answers: Unmanaged<OpenAnswers>, _ index: Int) {
    self.answers = answers
    self.index = index
  }

  /// Whether this is a place.
  package var exists: Bool { answers != nil }

  /// The object, which somebody holds, has its answer. On the loop's thread.
  @usableFromInline
  package func close() { answers?._withUnsafeGuaranteedRef { $0.close(index) } }

  /// The object goes away without an answer. To be called in its `deinit`, within ``OpenAnswers/withLock(_:)``; what is
  /// returned is to be called after that.
  ///
  /// The memory of the object stays until the loop has been told, so that its state can be read there, in the lock.
  package func leave(_ object: any Answerable) -> (() -> Void)? {
    answers?.takeUnretainedValue().leave(index, of: object)
  }
}

/// The right to answer what was opened in one turn of a loop. Whoever may give an answer holds it, on any thread.
@usableFromInline
package final class AnswerRight: Sendable {
  private let executor: LoopExecutor?
  /// Nil for an object that was made on a thread without a loop.
  let answers: OpenAnswers?
  private let thread = cuv_thread_id()

  init(_ answers: OpenAnswers?) {
    executor = answers?.executor
    self.answers = answers
  }

  deinit { answers?.rightEnded() }

  /// Whether the calling thread is the loop's, where an answer is given at once.
  ///
  /// Without a loop, an answer is given on the thread where the object was made, or on one with a loop; elsewhere this stops the
  /// program with a message.
  @usableFromInline
  package var isOnLoop: Bool {
    if let executor { return executor.isOnLoop }
    checkThread()
    return true
  }

  private func checkThread() {
    require(
      thread == cuv_thread_id() || EventLoop.current != nil,
      """
      a promise or future that was made on a thread without an event loop is resolved on another thread: make it \
      inside EventLoop.run or runCallbacks, and any thread can resolve it
      """)
  }

  /// Has `body` called with `object` on the loop's thread; from other threads. Both are dropped if the loop has ended.
  @usableFromInline
  package func send(_ object: AnyObject, _ body: @escaping (AnyObject) -> Void) {
    answers?.send(object, body)
  }
}

/// An answer on its way to the loop.
// Sound: whoever sent it gave both up.
private final class Answer: LoopMessage, @unchecked Sendable {
  private let answers: OpenAnswers
  private var object: AnyObject?
  private var body: ((AnyObject) -> Void)?

  init(_ answers: OpenAnswers, _ object: AnyObject, _ body: @escaping (AnyObject) -> Void) {
    self.answers = answers
    self.object = object
    self.body = body
  }

  override func arrive(on loop: EventLoop) {
    answers.arrive()
    if let body = body.take(), let object = object.take() { body(object) }
    answers.lookForLosses()
  }
}

/// Says to the loop that an object, or whoever could answer, has gone.
// Sound: touched by one thread after the other.
private final class Departure: LoopMessage, @unchecked Sendable {
  private let answers: OpenAnswers
  private var ending: (() -> Void)?
  /// Never looked at, as it has gone: keeps the memory.
  private unowned let object: AnyObject?

  init(_ answers: OpenAnswers, _ ending: (() -> Void)?, _ object: AnyObject?) {
    self.answers = answers
    self.ending = ending
    self.object = object
  }

  override func arrive(on loop: EventLoop) { take() }

  func take() { answers.departed(ending.take()) }
}
