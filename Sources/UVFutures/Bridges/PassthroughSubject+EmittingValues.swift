#if canImport(Combine) || Futures || Everything
import UV

extension PassthroughSubject {
  /// A subject that sends the elements of an asynchronous sequence.
  ///
  /// It begins as soon as it is made, when the caller gives way, in a task on the current event loop:
  /// elements that come before anybody subscribes are lost. The end of the sequence finishes the subject, an
  /// error fails it. When the subject and its subscriptions are let go, the task is cancelled.
  ///
  /// Erase it with `eraseToAnyPublisher()` before handing it out, so that nobody else can send.
  ///
  /// There must be a current loop: outside one this stops the program with a message. An extension of your own
  /// with this name, as in well-known recipes, is preferred to this one.
  ///
  /// Combine's `PassthroughSubject`, Swift's `AsyncSequence`.
  @_disfavoredOverload
  public static func emittingValues<Values: AsyncSequence>(
    from values: Values
  ) -> PassthroughSubject where Values.Element == Output, Values.Failure == Failure {
    emitting(values) { $0 }
  }

  private static func emitting<Values: AsyncSequence>(
    _ values: Values, _ widen: @escaping (Values.Failure) -> Failure
  ) -> PassthroughSubject where Values.Element == Output {
    let loop = EventLoop.needed(for: "emittingValues(from:)")
    let subject = PassthroughSubject()
    let task = loop.spawn { [weak subject] () async -> Void in
      var iterator = values.makeAsyncIterator()
      do throws(Values.Failure) {
        while let value = try await iterator.next(isolation: #isolation) { subject?.send(value) }
        subject?.send(completion: .finished)
      } catch {
        subject?.send(completion: .failure(widen(error)))
      }
    }
    // A subject cancels what feeds it when it goes.
    subject.send(subscription: TaskSubscription(task))
    return subject
  }
}

extension PassthroughSubject where Failure == any Error {
  /// A subject that sends the elements of an asynchronous sequence, which may throw anything; the rest is
  /// as for a sequence whose error has the subject's type.
  ///
  /// Combine's `PassthroughSubject`, Swift's `AsyncSequence`.
  @_disfavoredOverload
  public static func emittingValues<Values: AsyncSequence>(
    from values: Values
  ) -> PassthroughSubject where Values.Element == Output {
    emitting(values) { $0 }
  }

  /// A subject that sends the elements of an asynchronous sequence whose error is any error, too. It is there so that
  /// the compiler need not choose between the other two.
  ///
  /// Combine's `PassthroughSubject`, Swift's `AsyncSequence`.
  @_disfavoredOverload
  public static func emittingValues<Values: AsyncSequence>(
    from values: Values
  ) -> PassthroughSubject where Values.Element == Output, Values.Failure == any Error {
    emitting(values) { $0 }
  }
}

/// Cancels a task with a subscription.
private final class TaskSubscription: Subscription {
  private let task: LoopTask<Void, Never>
  init(_ task: LoopTask<Void, Never>) { self.task = task }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { task.cancel() }
}
#endif
