/// A process of each side, measured against each other.
///
/// Processor time is measured in duels: both run the same batch at the same time on the same
/// processor, so that whatever slows it down (a neighbour on the host, a change of clock
/// rate) slows down both alike. Time on the wall is measured one after the other.
final class GatePair {
  private let id: WorkloadID
  private let operations: Int
  private let base: WorkerProcess
  private let head: WorkerProcess
  private let twin: WorkerProcess?
  private let options: TimeGate.Options
  private var random: SplitMix64

  /// How many quads of time on the wall a pair has, and of the base against its twin.
  private static let (wallQuads, noiseQuads) = (8, 4)

  /// Starts the processes, and the twin of the base where the noise is to be measured.
  init(
    _ id: WorkloadID, operations: Int, base: TimeGate.Side, head: TimeGate.Side, headFirst: Bool,
    options: TimeGate.Options, random: inout SplitMix64
  ) throws {
    (self.id, self.operations, self.options) = (id, operations, options)
    self.random = SplitMix64(seed: random.next())
    let (first, second) = try ((headFirst ? head : base)(), (headFirst ? base : head)())
    (self.base, self.head) = headFirst ? (second, first) : (first, second)
    twin = options.measuresNoise ? try base() : nil
  }

  func finish() { for worker in [base, head, twin] { worker?.finish() } }

  /// Measures until the pair is clear, or the looks or the time are used up.
  func measure(into trace: inout GateTrace, rule: GateRule, until end: UInt64) throws {
    trace.beginPair()
    for worker in [base, head, twin] {
      for batch in 0..<2 { _ = try worker?.begin(request(.time, UInt64(batch)))() }
    }
    var longest: UInt64 = 0
    func hasTime() -> Bool { ProcessUsage.now().wall + longest < end }
    func timed<T>(_ body: () throws -> T) rethrows -> T {
      let started = ProcessUsage.now().wall
      defer { longest = max(longest, ProcessUsage.now().wall - started) }
      return try body()
    }
    for _ in 0..<Self.wallQuads where hasTime() { trace.addWall(try timed { try turns() }) }
    for number in 0..<(rule.looks.last ?? 0) where hasTime() {
      trace.add(try timed { try duels(head) }, operations: operations)
      if let twin, number < Self.noiseQuads { trace.addNoise(try duels(twin)) }
      if rule.looks.contains(number + 1), trace.isClear(rule) { break }
    }
  }

  /// Four batches one after the other; a coin says which side begins. Time on the wall.
  private func turns() throws -> Quad {
    let seed = random.next()
    let headFirst = random.next() & 1 == 0
    var quad = Quad(base: [], head: [])
    var checksums: Set<String> = []
    for isHead in headFirst ? [true, false, false, true] : [false, true, true, false] {
      let answer = try (isHead ? head : base).begin(request(.time, seed))()
      checksums.insert(answer.checksum)
      let side = isHead ? \Quad.head : \Quad.base
      quad[keyPath: side].append(Double(answer.wallNanoseconds))
    }
    try compare(checksums)
    return quad
  }

  /// Two duels of the base with a rival; each begins one of them, and a coin says which.
  private func duels(_ rival: WorkerProcess) throws -> Quad {
    let seed = random.next()
    let rivalFirst = random.next() & 1 == 0
    var quad = Quad(base: [], head: [])
    var checksums: Set<String> = []
    for rivalBegins in [rivalFirst, !rivalFirst] {
      let (first, second) = rivalBegins ? (rival, base) : (base, rival)
      let ends = try [first, second].map { try $0.begin(request(.duel, seed)) }
      let answers = try (ends[0](), ends[1]())
      let (own, other) = rivalBegins ? (answers.1, answers.0) : (answers.0, answers.1)
      quad.base.append(Double(own.cpuNanoseconds))
      quad.head.append(Double(other.cpuNanoseconds))
      checksums.formUnion([own.checksum, other.checksum])
    }
    try compare(checksums)
    return quad
  }

  private func request(_ verb: WorkerRequest.Verb, _ seed: UInt64) -> WorkerRequest {
    WorkerRequest(verb, id, operations: operations, seed: seed)
  }

  private func compare(_ checksums: Set<String>) throws {
    guard options.comparesWork, checksums.count > 1 else { return }
    throw WrongWork("\(id): the two programs found different things")
  }
}

extension WorkerProcess {
  /// Asks for a batch. What it returns waits for that.
  func begin(_ request: WorkerRequest) throws -> () throws -> WorkerAnswer {
    try send(request)
    return { [self] in
      do {
        return try receive(request)
      } catch let error as UsageError {
        // The other program has no such row, or a row of that name that does other work.
        throw NotComparable(error.description)
      }
    }
  }
}
