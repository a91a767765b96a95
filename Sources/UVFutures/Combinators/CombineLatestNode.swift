#if canImport(Combine) || Futures || Everything
import UV

/// The latest value of one side.
final class Latest<Value> {
  fileprivate(set) var value: Value?
}

/// A subscription that delivers the latest values of several publishers together.
final class CombineLatestNode<Output, Failure: Error>: DescribedSubscription {
  static var operatorName: String { "CombineLatest" }

  private let height: Int
  /// The gate that every signal goes through where there is no loop; nil on one.
  private let gate = Gate.unlessOnLoop
  private var downstream: Downstream<Output, Failure>?
  private var links: [Link?]
  /// How many sides have not delivered yet, and how many have not finished.
  private var missing: Int
  private var unfinished: Int
  private var demand = Subscribers.Demand.none
  private var isDelivering = false
  private var attachments: [() -> Void] = []
  private var combine: (() -> Output)?

  init(_ downstream: Downstream<Output, Failure>, sources: Int) {
    let next = downstream.grounded()
    self.downstream = next
    height = next.height + 1
    links = Array(repeating: nil, count: sources)
    missing = sources
    unfinished = sources
  }

  /// Notes a side, to be subscribed to when all are there.
  func source<P: Publisher>(_ publisher: P, _ index: Int) -> Latest<P.Output> where P.Failure == Failure {
    let latest = Latest<P.Output>()
    let step = Downstream<P.Output, Failure>(self, height: height) { [self] signal in
      switch signal {
      case .subscription(let link): receive(link, index)
      case .value(let value):
        if latest.value == nil { missing -= 1 }
        latest.value = value
        return deliver(index)
      case .completion(let completion): receive(completion, index)
      }
      return .none
    }
    attachments.append { [gate] in step.attach(toAny: publisher, through: gate) }
    return latest
  }

  /// Subscribes to all sides; `combine` makes a value of what they have delivered.
  func start(_ combine: @escaping () -> Output) {
    self.combine = combine
    let attachments = attachments
    self.attachments = []
    downstream?.receive(link: gate?.guarding(self) ?? self)
    func attachAll() {
      for attach in attachments where downstream != nil { attach() }
      if unfinished == 0 { end(.finished) }
    }
    if let gate { gate.run(attachAll) } else { attachAll() }
  }

  private func receive(_ link: Link, _ index: Int) {
    guard downstream != nil, links[index] == nil else { return link.cancel() }
    links[index] = link
    if demand > 0 { link.request(demand) }
  }

  private func deliver(_ index: Int) -> Subscribers.Demand {
    guard let downstream, let combine, missing == 0, demand > 0, !isDelivering else { return .none }
    demand -= 1
    isDelivering = true
    let more = downstream.receive(combine())
    isDelivering = false
    guard more > 0 else { return .none }
    demand += more
    for (other, link) in links.enumerated() where other != index { link?.request(more) }
    return more
  }

  private func receive(_ completion: Subscribers.Completion<Failure>, _ index: Int) {
    links[index] = nil
    unfinished -= 1
    if case .failure = completion { end(completion) } else if unfinished == 0 { end(.finished) }
  }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    guard let downstream else { return }
    self.downstream = nil
    release()
    downstream.receive(completion: completion)
  }

  private func release() {
    combine = nil
    for index in links.indices {
      let link = links[index]
      links[index] = nil
      link?.cancel()
    }
  }

  func request(_ more: Subscribers.Demand) {
    require(more > 0, "API violation: demand must not be zero")
    guard downstream != nil else { return }
    demand += more
    for link in links { link?.request(more) }
  }

  func cancel() {
    guard let last = downstream else { return }
    downstream = nil
    release()
    _ = last
  }
}

extension LoopPublishers {
  /// A publisher of the latest values of any number of publishers of one type.
  ///
  /// Combine's `Publishers.CombineLatest`, of many.
  public struct CombineLatestMany<Upstream: Publisher>: LoopPublisher {
    /// The values that are delivered.
    public typealias Output = [Upstream.Output]
    /// How it may fail.
    public typealias Failure = Upstream.Failure

    /// The publishers that are combined.
    let publishers: [Upstream]

    /// Creates a publisher of the latest values of `publishers`; of none it finishes at once.
    ///
    /// Combine's `Publishers.CombineLatest`, of many.
    public init(_ publishers: some Swift.Sequence<Upstream>) { self.publishers = Array(publishers) }

    /// Subscribes to all on behalf of `subscriber`.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let node = CombineLatestNode<Output, Failure>(Downstream(subscriber), sources: publishers.count)
      let latest = publishers.enumerated().map { node.source($1, $0) }
      node.start { latest.map { $0.value! } }
    }
  }
}

extension Collection where Element: Publisher {
  /// The latest values of these publishers, whenever one of them delivers, once all have.
  ///
  /// Combine's `combineLatest(_:)`, of many.
  public func combineLatest() -> LoopPublishers.CombineLatestMany<Element> {
    LoopPublishers.CombineLatestMany(self)
  }
}
#endif
