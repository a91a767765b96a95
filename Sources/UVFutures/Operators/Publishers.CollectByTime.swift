#if canImport(Combine) || Futures || Everything
import UV

#if !canImport(Combine)
extension Publishers {
  /// How values are put together by time.
  ///
  /// Combine's `Publishers.TimeGroupingStrategy`.
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// All values of an interval of the scheduler's time.
    case byTime(Context, Context.SchedulerTimeType.Stride)
    /// All values of an interval, or so many if they are there before its end.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
  }

  /// A publisher of arrays of what another delivers in an interval.
  ///
  /// Combine's `Publishers.CollectByTime`.
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: LoopPublisher {
    /// The values that are delivered.
    public typealias Output = [Upstream.Output]
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// Where the values come from.
    let upstream: Upstream
    /// The rule by which values are put together.
    let strategy: TimeGroupingStrategy<Context>
    /// The scheduler's options.
    let options: Context.SchedulerOptions?

    /// Creates a publisher of arrays of what `upstream` delivers.
    public init(
      upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    /// Subscribes to the upstream publisher on behalf of `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let next = Downstream(subscriber).grounded()
      let node = CollectByTimeNode(next, strategy, options)
      node.gate.guarding(
        Downstream<Upstream.Output, Failure>(node, height: next.height + 1) { node.receive($0) }
      )
      .attach(to: upstream)
    }
  }
}

extension Publisher {
  /// Delivers what comes in an interval as an array, at its end, on the strategy's scheduler.
  ///
  /// An interval begins with the first value that comes after the one before, so that no timer runs while
  /// nothing comes, and none is left behind by a subscription that is cancelled. The values that are there
  /// when this publisher finishes are delivered then; an error drops it. While there is no demand, values
  /// gather.
  ///
  /// - Parameters:
  ///   - strategy: The scheduler, the length of an interval, and how many values are enough, if that is
  ///     limited; 1 or more.
  ///   - options: The scheduler's options.
  public func collect<Context: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<Context>, options: Context.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, Context> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

/// A subscription that gathers values. All that comes to it comes through its gate.
private final class CollectByTimeNode<Input, Failure: Error, Context: Scheduler>: DescribedSubscription {
  let gate = Gate()
  private let scheduler: Context
  private let interval: Context.SchedulerTimeType.Stride
  private let count: Int
  private let options: Context.SchedulerOptions?
  private let ends: Ends<[Input], Failure>
  private var values: [Input] = []
  private var demand = Subscribers.Demand.none
  private var isDue = false
  private var completion: Subscribers.Completion<Failure>?
  private var timer: (any Cancellable)?

  init(
    _ downstream: Downstream<[Input], Failure>, _ strategy: Publishers.TimeGroupingStrategy<Context>,
    _ options: Context.SchedulerOptions?
  ) {
    ends = Ends(downstream)
    self.options = options
    switch strategy {
    case .byTime(let scheduler, let interval):
      (self.scheduler, self.interval, count) = (scheduler, interval, .max)
    case .byTimeOrCount(let scheduler, let interval, let count):
      require(count > 0, "collect: a count of less than one")
      (self.scheduler, self.interval, self.count) = (scheduler, interval, count)
    }
  }

  static var operatorName: String { "CollectByTime" }

  func receive(_ signal: Signal<Input, Failure>) -> Subscribers.Demand {
    switch signal {
    case .subscription(let subscription):
      guard let downstream = ends.connect(subscription) else { break }
      downstream.receive(link: self)
      subscription.request(.unlimited)
    case .value(let value):
      guard !ends.isOver, completion == nil else { break }
      values.append(value)
      if values.count >= count {
        isDue = true
        onScheduler { $0.deliver() }
      } else {
        startTimer()
      }
    case .completion(let completion):
      guard self.completion == nil else { break }
      self.completion = completion
      if case .failure = completion { values = [] }
      stopTimer()
      onScheduler { $0.deliver() }
    }
    return .none
  }

  private func onScheduler(_ body: @escaping (CollectByTimeNode) -> Void) {
    scheduler.schedule(options: options) { [self] in gate.run { [self] in body(self) } }
  }

  private func deliver() {
    while isDue || completion != nil, !values.isEmpty, demand > 0 {
      let group = Array(values.prefix(count))
      values.removeFirst(group.count)
      demand -= 1
      // The rest is less than what is enough, and begins an interval of its own.
      isDue = values.count >= count
      if values.isEmpty { stopTimer() }
      demand += ends.receive(group)
    }
    if values.isEmpty { isDue = false }
    if values.isEmpty, let completion { ends.finish(completion) }
    if isDue || values.isEmpty { stopTimer() } else { startTimer() }
  }

  private func startTimer() {
    guard timer == nil, completion == nil else { return }
    timer = scheduler.schedule(
      after: scheduler.now.advanced(by: interval), interval: interval,
      tolerance: scheduler.minimumTolerance,
      options: options
    ) { [self] in
      gate.run { [self] in
        isDue = true
        deliver()
      }
    }
  }

  private func stopTimer() {
    timer?.cancel()
    timer = nil
  }

  func request(_ more: Subscribers.Demand) {
    require(more > 0, "API violation: demand must not be zero")
    gate.run { [self] in
      demand += more
      if isDue || completion != nil { onScheduler { $0.deliver() } }
    }
  }

  func cancel() {
    // First, so that no value that comes after this starts the timer again.
    ends.cancel()
    gate.run { [self] in
      stopTimer()
      values = []
    }
  }
}
#endif
#endif
