import CBenchSupport

/// Two servers that others wrote, which are measured against each other.
struct ServerRivals: Rivals {
  let base: String
  let head: String
  let options: ServerUnderTest.Options
  /// How much processor time of the server's a load shall take, in nanoseconds.
  private var batch: Double { min(32e6, max(2e6, warmUp * 1e9 / 8)) }
  /// How long servers are warmed up at least, in processor time, and how long latencies are taken in each pair, in seconds.
  var (warmUp, window): (Double, Double)
  /// How many requests a duel or a turn has, how many the warm-up, and how many come each second while latencies are taken.
  private var (operations, warming, rate) = (1, 1, 0.0)

  let isServer = true
  let figures: Set<OutsideFigure>

  /// Whether the threads of the servers have processors of their own.
  private var hasRoom = false

  /// Whether a delay has to be found, which takes so many requests in each pair, however long they take.
  var findsDelay = false
  private static let leastForDelay = 4000

  /// How many times four turns a pair of servers has.
  private static let turns = 2

  /// How many pairs of duels: 4 to 12, and between these as much work as the warm-up was. More of them wouldn't show how much one process
  /// differs from the next.
  private var duels: Int { min(12, max(4, warming / (2 * operations))) }

  init(
    base: String, head: String, options: ServerUnderTest.Options, warmUp: Double, window: Double
  ) {
    (self.base, self.head, self.options) = (base, head, options)
    (self.warmUp, self.window) = (warmUp, window)
    let hasLatencies = options.load.server(at: 1) != nil
    figures = Set(OutsideFigure.allCases).subtracting(hasLatencies ? [] : OutsideFigure.latencies)
  }

  /// Finds on a server of its own how many requests take as long as they should, and after how many it is warm.
  mutating func prepare() throws {
    guard options.load.server(at: 1) != nil else { return }
    try compareAnswers()
    let server = try ServerUnderTest(base, options: options)
    defer { server.finish() }
    server.program.confine(to: Self.shared)
    (operations, warming) = try Settling.requests(batch: batch, least: warmUp * 1e9) {
      try server.ask(request($0, Self.shared))
    }
    note(threads: server.program.busyThreads)
    let times = try (0..<5).map { _ in try server.ask(request(operations, Self.shared)).time }
    rate = Double(operations) * 1e9 / Statistics.median(times)
  }

  /// Servers whose threads share a processor wait for each other there. Where there are three processors they have all but one, which is the
  /// load's.
  private mutating func note(threads: Int) {
    guard threads > 1 else { return }
    hasRoom = bench_usable_cpus() > 2
    RootCommand.complain(
      hasRoom
        ? "\(threads) threads of the old server work: both servers have all processors but one, which the load has"
        : "\(threads) threads of the old server work, and share a processor in duels: a request costs more than where each has its own, which takes three processors"
    )
  }

  /// Throws where the new server answers something else than the old one: less work isn't an improvement.
  private func compareAnswers() throws {
    let (old, new) = (try answers(of: base), try answers(of: head))
    guard let old, let difference = new?.difference(from: old, options.likeness) else { return }
    throw WrongWork(
      "not the same work: \(difference). --same none, status, length or bytes says how alike answers have to be"
    )
  }

  private func answers(of command: String) throws -> AnsweredWork? {
    let server = try ServerUnderTest(command, options: options)
    defer { server.finish() }
    return try server.ask(request(4 * options.connections, Self.shared)).work
  }

  func sample(
    headFirst: Bool, figures: Set<OutsideFigure>, random: inout SplitMix64
  ) throws -> [OutsideFigure: OutsideSample] {
    let first = try ServerUnderTest(headFirst ? head : base, options: options)
    defer { first.finish() }
    let second = try ServerUnderTest(headFirst ? base : head, options: options)
    defer { second.finish() }
    let pair = headFirst ? (base: second, head: first) : (base: first, head: second)
    var samples: [OutsideFigure: OutsideSample] = [:]
    try warm(pair)
    samples[.cpu] = try OutsideSample((0..<duels).map { _ in try duels(pair, &random) })
    for server in [pair.base, pair.head] { server.program.confine(to: -1) }
    if figures.contains(.time) {
      samples[.time] = try OutsideSample((0..<Self.turns).map { _ in try turns(pair, &random) })
    }
    if !figures.isDisjoint(with: OutsideFigure.latencies) {
      samples.merge(try latencies(pair)) { $1 }
    }
    let memory = [pair.base, pair.head].map { Double($0.program.usage(withMemory: true).resident) }
    samples[.memory] = OutsideSample(base: memory[0], head: memory[1])
    return samples
  }

  private typealias Pair = (base: ServerUnderTest, head: ServerUnderTest)

  /// The processor of duels, and that of the load else.
  private static var shared: Int32 { bench_usable_cpu(0) }
  private static let allButLast: Int32 = -2
  /// The processor of the load of duels: the servers' own, so that both have the same share of it.
  private var duelLoad: Int32 { hasRoom ? bench_usable_cpu(bench_usable_cpus() - 1) : Self.shared }
  private static var other: Int32 { bench_usable_cpu(bench_usable_cpus() > 1 ? 1 : 0) }

  private func request(_ operations: Int, _ processor: Int32) -> ServerUnderTest.Request {
    ServerUnderTest.Request(operations: operations, processor: processor)
  }

  /// Both have the same load at the same time.
  private func both(
    _ one: ServerUnderTest, _ other: ServerUnderTest, _ request: ServerUnderTest.Request
  ) throws -> (ServerUnderTest.Answer, ServerUnderTest.Answer) {
    let (first, second) = (try one.prepare(request), try other.prepare(request))
    try first.go()
    try second.go()
    return (try first.finish(), try second.finish())
  }

  /// Programs that compile while they run do so before they are measured.
  private func warm(_ pair: Pair) throws {
    for server in [pair.base, pair.head] {
      server.program.confine(to: hasRoom ? Self.allButLast : Self.shared)
    }
    _ = try both(pair.base, pair.head, request(warming, duelLoad))
  }

  /// Two duels, each of which one of them begins.
  private func duels(_ pair: Pair, _ random: inout SplitMix64) throws -> OutsideSample {
    let headFirst = random.next() & 1 == 0
    var quad = Quad(base: [], head: [])
    for headBegins in [headFirst, !headFirst] {
      let (first, second) = headBegins ? (pair.head, pair.base) : (pair.base, pair.head)
      let answers = try both(first, second, request(operations, duelLoad))
      let (base, head) = headBegins ? (answers.1, answers.0) : (answers.0, answers.1)
      quad.base.append(base.cpu / base.operations)
      quad.head.append(head.cpu / head.operations)
    }
    return OutsideSample(quad)
  }

  /// Four loads one after the other, each on a server that is alone.
  private func turns(_ pair: Pair, _ random: inout SplitMix64) throws -> OutsideSample {
    let headFirst = random.next() & 1 == 0
    var quad = Quad(base: [], head: [])
    for isHead in headFirst ? [true, false, false, true] : [false, true, true, false] {
      let answer = try (isHead ? pair.head : pair.base).ask(request(operations, Self.other))
      let side = isHead ? \Quad.head : \Quad.base
      quad[keyPath: side].append(answer.time / answer.operations)
    }
    return OutsideSample(quad)
  }

  /// Both have a quarter of what the old one can do on one processor, at the same time. A latency counts from the moment at which a
  /// request was due.
  private func latencies(_ pair: Pair) throws -> [OutsideFigure: OutsideSample] {
    let count = max(1, Int(rate / 4 * window), findsDelay ? Self.leastForDelay : 0)
    var request = request(count, Self.other)
    (request.rate, request.wantsLatencies) = (rate / 4, true)
    let (base, head) = try both(pair.base, pair.head, request)
    guard let old = base.latencies, let new = head.latencies else { return [:] }
    var samples: [OutsideFigure: OutsideSample] = [:]
    for figure in OutsideFigure.latencies { samples[figure] = figure.sample(old, new) }
    return samples
  }
}

extension OutsideSample {
  init(_ quad: Quad) {
    self.init(
      base: Statistics.median(quad.base), head: Statistics.median(quad.head), shift: quad.shift ?? .nan)
  }
}
