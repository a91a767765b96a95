import CUV
import Synchronization

/// An object on a loop that the program answers by hand, on any thread: a pending promise or future.
package protocol Answerable: AnyObject {
  /// Gives up whatever waits for the answer, because none will come. Returns what remains to be done on the
  /// loop's thread.
  ///
  /// It is called within ``OpenAnswers/withLock(_:)``. Another thread may be dropping the object at this
  /// moment, so it can be used only until this returns. Nothing may retain it.
  func forsake() -> (() -> Void)?
}

/// The answers that a loop waits for. They keep the loop running while somebody holds an ``AnswerRight`` and
/// so can still give them.
///
/// All answers that are opened in one turn share one of these objects and one right. The loop holds the right
/// until the turn ends. So an answer that is given in the same turn costs no allocation and doesn't touch
/// libuv's loop.
///
/// This doesn't retain the objects. An object that goes away, perhaps on another thread, leaves by
/// ``leave(_:)``.
@usableFromInline
// Sound: touched on the loop's thread only, with two exceptions. The atomics may be touched anywhere. A place
// belongs to its object until the object leaves, which happens under the lock.
package final class OpenAnswers: @unchecked Sendable {
  private struct Place {
    // Sound: an object leaves before it goes away.
    unowned(unsafe) var object: (any Answerable)?
  }

  let executor: LoopExecutor
  private let places: UnsafeMutablePointer<Place>
  let capacity: Int
  private var next = 0
  /// How many objects have no answer yet. Written by the loop.
  private let open = Atomic<Int>(0)
  /// How many answers are on their way from other threads.
  private let sent = Atomic<Int>(0)
  /// Whether nobody can answer any more.
  private let isForlorn = Atomic<Bool>(false)
  /// The index in the loop's list of answers that keep it running.
  var index: Int?

  init(_ executor: LoopExecutor, capacity: Int) {
    self.executor = executor
    self.capacity = capacity
    places = .allocate(capacity: capacity)
    places.initialize(repeating: Place(), count: capacity)
  }

  deinit { places.deallocate() }

  // Sound: a pointer to a mutex. It is recursive because an object may go away while the lock is held for
  // another object.
  nonisolated(unsafe) private static let lock = Lock(isRecursive: true)

  /// Runs `body`. Meanwhile no open object can go away on another thread.
  package static func withLock<T>(_ body: () -> T) -> T { lock.withLock(body) }

  // MARK: On the loop's thread

  var count: Int {
    @inline(__always) get { open.load(ordering: .relaxed) }
  }

  /// Adds an object and stores its place. Returns false if there is no room.
  @inline(__always)
  func add(_ object: any Answerable, _ place: inout AnswerPlace) -> Bool {
    if next == capacity { return false }
    places[next].object = object
    place = AnswerPlace(Unmanaged.passUnretained(self), next)
    next &+= 1
    open.store(count &+ 1, ordering: .relaxed)
    return true
  }

  /// Notes that the object in `place`, which the caller holds, has its answer.
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

  /// Tells all open objects that no answer will come: either nobody can answer any more, or the loop ends.
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

  /// Called when nobody can answer any more.
  fileprivate func rightEnded() {
    isForlorn.store(true, ordering: .sequentiallyConsistent)
    // The order matters: an answer that arrives at the loop is subtracted from `sent` first.
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
    // Answers that have been sent count first.
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

/// The place of an object among the open answers of its loop.
@usableFromInline
package struct AnswerPlace {
  // Sound: the answers are kept while an object is among them, and the object forgets its place when it
  // leaves.
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

  /// Notes that the object, which the caller holds, has its answer. On the loop's thread.
  @usableFromInline
  package func close() { answers?._withUnsafeGuaranteedRef { $0.close(index) } }

  /// Takes out an object that goes away without an answer. Call it in the object's `deinit`, within
  /// ``OpenAnswers/withLock(_:)``. Call the returned function after that.
  ///
  /// The memory of the object stays until the loop has been told, so that the loop can read its state there,
  /// under the lock.
  package func leave(_ object: any Answerable) -> (() -> Void)? {
    answers?.takeUnretainedValue().leave(index, of: object)
  }
}

/// The right to answer everything that was opened in one turn of a loop. Everyone who may give an answer
/// holds it, on any thread.
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
  /// An object that was made without a loop may be answered on the thread that made it, or on a thread with a
  /// loop. On any other thread this stops the program with a message.
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

  /// Calls `body` with `object` on the loop's thread. Used from other threads. Both are dropped if the loop
  /// has ended.
  @usableFromInline
  package func send(_ object: AnyObject, _ body: @escaping (AnyObject) -> Void) {
    answers?.send(object, body)
  }
}

/// An answer on its way to the loop.
// Sound: the sender no longer uses the object and the body.
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

/// Tells the loop that an object has gone, or that nobody can answer any more.
// Sound: only one thread touches it at a time.
private final class Departure: LoopMessage, @unchecked Sendable {
  private let answers: OpenAnswers
  private var ending: (() -> Void)?
  /// Keeps the object's memory. It is never used, because the object has gone.
  private unowned let object: AnyObject?

  init(_ answers: OpenAnswers, _ ending: (() -> Void)?, _ object: AnyObject?) {
    self.answers = answers
    self.ending = ending
    self.object = object
  }

  override func arrive(on loop: EventLoop) { take() }

  func take() { answers.departed(ending.take()) }
}
