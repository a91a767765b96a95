import CAres

/// A channel of c-ares: the settings and the questions that it has. On the loop's thread.
///
/// No code of the program runs while c-ares does, because c-ares must not be called again then. The channel keeps
/// what c-ares answers, and a microtask hands the answers to the program.
final class Channel {
  /// How many questions c-ares has at most. Each takes up to two of the 65,536 numbers that c-ares tries at random
  /// until it finds a free one; others wait.
  static let limit = 10_000

  /// A question for c-ares.
  enum Question {
    /// The records of a name and a type.
    case records(String, UInt16, searches: Bool)
    case addresses(String, Int32)
    case names(SocketAddress, NameInfoOptions)
  }

  /// The answer of c-ares, or its error.
  enum Outcome {
    case failure(AresError)
    /// A server's answer as it came.
    case message([UInt8])
    case addresses([SocketAddress])
    case names(NameInfo)
  }

  private let loop: EventLoop
  private let sockets: ChannelSockets
  private let raw: ares_channel
  /// The number of questions that c-ares has.
  private var count = 0
  /// The number of those among them whose answers nobody waits for any more.
  private var forgotten = 0
  /// Questions that wait until c-ares has fewer.
  private var waiting = Queue<Query>()
  private var outcomes: [(Query, Outcome)] = []
  private var timer = PendingRequest()
  private var isSettling = false

  private static let library = cares_library_init()

  init(_ loop: EventLoop, _ options: DNSResolverOptions) throws(AresError) {
    let sockets = ChannelSockets(loop)
    var channel: ares_channel?
    var code = Self.library
    if code == CARES_SUCCESS {
      code = options.withSettings {
        cares_open(&channel, $0, didChangeSocket, Unmanaged.passUnretained(sockets).toOpaque())
      }
    }
    guard code == CARES_SUCCESS, let channel else { throw AresError(code) }
    self.loop = loop
    self.sockets = sockets
    raw = channel
    sockets.process = { [unowned self] in process($0, $1) }
  }

  // Each question keeps its channel, so c-ares has none any more.
  deinit {
    assert(count == 0, "a channel goes before its questions")
    ares_destroy(raw)
  }

  /// Asks.
  ///
  /// - Parameter done: Called once, not before this has returned; never if the query is forgotten first.
  func ask(_ question: Question, _ done: @escaping (Outcome) -> Void) -> Query {
    let query = Query(self, question, done)
    if count < Self.limit { begin(query) } else { waiting.append(query) }
    return query
  }

  private func begin(_ query: Query) {
    count += 1
    query.isAsked = true
    // Balanced by the callback, which c-ares calls once.
    let context = Unmanaged.passRetained(query).toOpaque()
    switch query.question {
    case .records(let name, let type, let searches):
      cares_ask(raw, name, Int32(type), searches, didAnswer, context)
    case .addresses(let name, let family): cares_addresses(raw, name, family, didFindAddresses, context)
    case .names(let address, let options):
      address.withSockaddr {
        cares_names(
          raw, $0, options.contains(.numericHost), options.contains(.numericService),
          options.contains(.nameRequired), options.contains(.datagram), didFindNames, context)
      }
    }
    settleSoon()
  }

  private func process(_ readable: Int32, _ writable: Int32) {
    cares_process(raw, readable, writable)
    settleSoon()
  }

  fileprivate func receive(_ query: Query, _ outcome: Outcome) {
    count -= 1
    query.isAsked = false
    if query.done == nil { forgotten -= 1 }
    if case .failure(let error) = outcome, error.code == CARES_NODATA, query.needsNumber() {
      waiting.append(query)
    } else {
      outcomes.append((query, outcome))
    }
    settleSoon()
  }

  /// Nobody waits for a query any more.
  fileprivate func didForget(_ query: Query) {
    guard query.isAsked else { return }
    forgotten += 1
    settleSoon()
  }

  /// Hands out the answers and sets the timer, once for all that happens until then.
  private func settleSoon() {
    if isSettling { return }
    isSettling = true
    loop.queueMicrotask { [self] in settle() }
  }

  private func settle() {
    isSettling = false
    let ended = outcomes
    outcomes = []
    for (query, outcome) in ended { query.done.take()?(outcome) }
    // c-ares can't end one question alone, but all of them.
    if count > 0, forgotten == count { ares_cancel(raw) }
    while count < Self.limit, let next = waiting.popFirst() { if next.done != nil { begin(next) } }
    timer.drop()
    timer = PendingRequest()
    let left = cares_time_left(raw)
    guard left >= 0 else { return }
    // The loop's clock and c-ares's differ by a part of a millisecond.
    timer = loop.sleepQuietly(for: .milliseconds(left + 1)) { [weak self] result in
      if case .success = result { self?.process(-1, -1) }
    }
  }
}

extension Channel {
  /// A question that a channel has.
  final class Query {
    fileprivate let channel: Channel
    fileprivate private(set) var question: Question
    /// Whether c-ares has the question.
    fileprivate var isAsked = false
    /// Nil once nobody waits for the answer.
    fileprivate var done: ((Outcome) -> Void)?

    fileprivate init(_ channel: Channel, _ question: Question, _ done: @escaping (Outcome) -> Void) {
      self.channel = channel
      self.question = question
      self.done = done
    }

    /// Whether an address that has no name is to be answered as a number. The query asks for that then.
    fileprivate func needsNumber() -> Bool {
      guard case .names(let address, let options) = question,
        options.isDisjoint(with: [.nameRequired, .numericHost])
      else { return false }
      question = .names(address, options.union(.numericHost))
      return true
    }

    /// Nobody waits for the answer any more.
    func forget() { if done.take() != nil { channel.didForget(self) } }
  }
}

/// Hands the answer that c-ares calls back with to the question's channel.
private func receive(_ context: UnsafeMutableRawPointer?, _ code: Int32, _ outcome: () -> Channel.Outcome) {
  // Balances `begin`.
  let query = Unmanaged<Channel.Query>.fromOpaque(context!).takeRetainedValue()
  query.channel.receive(query, code == CARES_SUCCESS ? outcome() : .failure(AresError(code)))
}

private func didAnswer(
  _ context: UnsafeMutableRawPointer?, _ code: Int32, _: Int32, _ bytes: UnsafeMutablePointer<UInt8>?,
  _ count: Int32
) {
  receive(context, code) { .message(Array(UnsafeBufferPointer(start: bytes, count: Int(count)))) }
}

private func didFindAddresses(
  _ context: UnsafeMutableRawPointer?, _ code: Int32, _: Int32, _ found: UnsafeMutablePointer<ares_addrinfo>?
) {
  defer { if let found { ares_freeaddrinfo(found) } }
  receive(context, code) {
    var addresses: [SocketAddress] = []
    var entry = found?.pointee.nodes
    while let current = entry {
      if let address = SocketAddress(current.pointee.ai_addr) { addresses.append(address) }
      entry = current.pointee.ai_next
    }
    return .addresses(addresses)
  }
}

private func didFindNames(
  _ context: UnsafeMutableRawPointer?, _ code: Int32, _: Int32, _ host: UnsafeMutablePointer<CChar>?,
  _ service: UnsafeMutablePointer<CChar>?
) {
  receive(context, code) {
    var name = host.map { String(cString: $0) } ?? ""
    // c-ares 1.18 writes that an address is of no interface.
    if name.hasSuffix("%0") { name.removeLast(2) }
    // c-ares has no service for the port 0.
    return .names(NameInfo(host: name, service: service.map { String(cString: $0) } ?? "0"))
  }
}

/// c-ares has opened or closed a socket, or wants other events of it.
private func didChangeSocket(
  _ context: UnsafeMutableRawPointer?, _ descriptor: Int32, _ readable: Int32, _ writable: Int32
) {
  // Sound: the channel keeps its sockets until c-ares has closed them.
  let sockets = Unmanaged<ChannelSockets>.fromOpaque(context!).takeUnretainedValue()
  var events: PollEvents = []
  if readable != 0 { events.insert(.readable) }
  if writable != 0 { events.insert(.writable) }
  sockets.watch(descriptor, for: events)
}

/// An error of c-ares.
struct AresError: Error {
  let code: Int
  /// The error's text in place of c-ares's.
  private let reason: String?

  /// An answer that breaks the protocol.
  static let malformed = AresError(CARES_BADRESP)
  /// A name that has no such records.
  static let noData = AresError(CARES_NODATA)

  init(_ code: some BinaryInteger, _ reason: String? = nil) {
    self.code = Int(code)
    self.reason = reason
  }

  /// The error with the code that the thread pool's lookup would have, and c-ares's text.
  func uvError(_ operation: String, _ subject: String?) -> UVError {
    let text = reason ?? String(cString: ares_strerror(Int32(code)))
    return UVError(uvCode, operation: operation, subject: subject, message: text)
  }

  private var uvCode: UVError.Code {
    switch code {
    case CARES_NOTFOUND, CARES_NODATA, CARES_NONAME, CARES_BADNAME: .unknownHost
    case CARES_BADQUERY, CARES_BADFAMILY, CARES_BADFLAGS, CARES_BADSTR: .invalidArgument
    case CARES_NOMEM: .outOfMemory
    case CARES_CANCELLED, CARES_DESTRUCTION: .cancelled
    // No server has answered, or none could.
    default: .nameServerFailure
    }
  }
}
