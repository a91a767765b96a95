import UV

/// A stream that answers requests. Each request gets one answer, which goes only to the chain that asked.
///
/// ```swift
/// let sizes = Cold<String, Int, UVError> { path, answer in
///   loop.files.stat(path) { answer($0.map { Int($0.size) }) }
/// }
/// let shown = sizes.map { "\($0) bytes" }.on { print($0) }
/// shown.request("/etc/hosts")
/// ```
///
/// Like a ``Hot``, it belongs to the loop on which it is created. Keep it while its chains make requests.
///
/// RxStream's `Cold`.
public final class Cold<Request, Output, Failure: Error> {
  private var children: [(number: Int, handle: (StreamEvent<Output, Failure>, ColdRoute) -> Void)] = []
  private var lastNumber = 0
  private var isShared = false
  private var name: String?
  /// The gate that requests and answers go through where there is no loop; nil on one.
  let gate: Gate?
  private let fill: (Cold, Request, ColdRoute) -> Void

  /// How the stream ended, nil until then.
  ///
  /// RxStream's `state`.
  public private(set) var termination: Termination<Failure>?

  /// Creates a stream that answers requests.
  ///
  /// - Parameter task: Gets a request and what to call with the answer, on any thread; further calls do
  ///   nothing. An error does not end the stream. The loop keeps running until the answer is there or can't
  ///   come any more.
  public init(
    _ task:
      @escaping (_ request: Request, _ answer: @escaping @Sendable (Result<Output, Failure>) -> Void) -> Void
  ) {
    let gate = Gate.unlessOnLoop
    self.gate = gate
    fill = { stream, request, route in
      task(
        request,
        StreamSteps.answer(through: gate) { [weak stream] (result: Result<Output, Failure>) in
          switch result {
          case .success(let value): stream?.deliver(.next(value), route)
          case .failure(let error): stream?.deliver(.error(error), route)
          }
        })
    }
  }

  private init(through gate: Gate?, fill: @escaping (Cold, Request, ColdRoute) -> Void) {
    (self.gate, self.fill) = (gate, fill)
  }

  deinit {
    // Attached streams learn that no answer will come.
    guard termination == nil else { return }
    for child in children { child.handle(.terminate(reason: .completed), .shared) }
  }

  /// Whether requests are answered, or how the stream ended.
  public var state: StreamState<Failure> { termination.map { .terminated(reason: $0) } ?? .active }

  /// Whether requests are answered.
  public var isActive: Bool { termination == nil }

  /// Asks for an answer, which comes down the chain to here; ignored once the stream has ended.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - share: Whether everything that is attached here gets the answer, too.
  public func request(_ request: Request, share: Bool = false) {
    throughGate { [self] in ask(request, share ? .shared : .end) }
  }

  /// Sets whether all chains below this get the answers to each other's requests.
  @discardableResult
  public func share(_ isShared: Bool) -> Self {
    self.isShared = isShared
    return self
  }

  /// Ends the stream and everything attached to it; ignored once it has ended.
  public func terminate(withReason reason: Termination<Failure> = .completed) {
    throughGate { [self] in deliver(.terminate(reason: reason), .shared) }
  }

  private func throughGate(_ body: @escaping () -> Void) { if let gate { gate.run(body) } else { body() } }

  /// A stream of the same answers, to requests of another kind.
  public func mapRequest<NewRequest>(
    _ transform: @escaping (NewRequest) -> Request
  ) -> Cold<NewRequest, Output, Failure> {
    derive(StreamSteps.map { $0 }, asking: transform)
  }

  /// Gives the stream a name, for its descriptions.
  @discardableResult
  public func named(_ name: String) -> Self {
    self.name = name
    return self
  }

  /// The stream's name, or its type if it has no name.
  public var descriptor: String {
    get { name ?? "\(type(of: self))" }
    set { name = newValue }
  }

  // MARK: Up and down

  private func ask(_ request: Request, _ route: ColdRoute) {
    guard isActive else { return }
    fill(self, request, isShared ? .shared : route)
  }

  private func deliver(_ event: StreamEvent<Output, Failure>, _ route: ColdRoute) {
    guard isActive else { return }
    let children = children
    if case .terminate(let reason) = event {
      termination = reason
      self.children = []
      for child in children { child.handle(event, .shared) }
      return
    }
    switch route {
    case .end: break
    case .shared: for child in children { child.handle(event, .shared) }
    case .child(let number, let rest): children.first { $0.number == number }?.handle(event, rest)
    }
  }

  func derive<T>(_ step: @escaping StreamStep<Output, T, Failure>) -> Cold<Request, T, Failure> {
    derive(step) { $0 }
  }

  private func derive<NewRequest, T>(
    _ step: @escaping StreamStep<Output, T, Failure>, asking transform: @escaping (NewRequest) -> Request
  ) -> Cold<NewRequest, T, Failure> {
    let (child, number): (Cold<NewRequest, T, Failure>, Int) = child(asking: transform)
    attach(number) { event, route in step(event) { child.deliver($0, route) } }
    return child
  }

  /// A stream whose requests come here, and its number.
  private func child<NewRequest, T>(
    asking transform: @escaping (NewRequest) -> Request
  ) -> (Cold<NewRequest, T, Failure>, Int) {
    lastNumber += 1
    let number = lastNumber
    let child = Cold<NewRequest, T, Failure>(
      through: gate,
      fill: { [weak self] _, request, route in
        if case .shared = route {
          self?.ask(transform(request), .shared)
        } else {
          self?.ask(transform(request), .child(number, route))
        }
      })
    return (child, number)
  }

  /// Has `handle` hear what happens from now on; only the end, if that is over.
  private func attach(_ number: Int, _ handle: @escaping (StreamEvent<Output, Failure>, ColdRoute) -> Void) {
    if let termination { return handle(.terminate(reason: termination), .shared) }
    children.append((number, handle))
  }

  /// A stream of what `join` makes of the answers. An answer goes on the way that it came; what comes from
  /// elsewhere goes to everybody.
  func joined<T>(_ join: (Hot<Output, Failure>) -> Hot<T, Failure>) -> Cold<Request, T, Failure> {
    let (child, number): (Cold<Request, T, Failure>, Int) = child { $0 }
    let answers = Hot<Output, Failure>()
    answers.gate = gate
    var route = ColdRoute.shared
    join(answers).attach(
      Hot<T, Failure>.Branch { event in
        child.deliver(event, route)
        return child.isActive
      })
    attach(number) { event, way in
      // The chain may ask again before this is over.
      let outer = route
      route = way
      answers.receive(event)
      route = outer
    }
    return child
  }
}

extension Cold: AnyStream {
  /// A stream of the answers that everything attached here gets; see ``share(_:)``.
  public var asHot: Hot<Output, Failure> {
    let stream = Hot<Output, Failure>()
    stream.gate = gate
    lastNumber += 1
    attach(lastNumber) { event, _ in stream.receive(event) }
    return stream
  }
}

extension Cold: CustomDebugStringConvertible {
  /// The stream's name, or its type if it has no name.
  public var debugDescription: String { descriptor }
}

/// Which way an answer goes.
indirect enum ColdRoute {
  /// To the child of this number, and on from there.
  case child(Int, ColdRoute)
  /// No further.
  case end
  /// To everybody.
  case shared
}
