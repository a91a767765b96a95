import SimulatedWorlds
import UVSimulation

extension RandomProgram {
  /// Draws a program from a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - hurry: Its times are so many times shorter.
  public init(seed: UInt64, hurry: Int = 1) {
    var draw = ProgramDraw(seed)
    draw.hurry = hurry
    self.init(seed: seed, weather: seed % 3 == 0 ? .calm : .drawn(seed), steps: [])
    streams = (0..<draw.below(4)).map { _ in draw.one(of: ProgramTransport.allCases) }
    files = draw.below(3)
    let poolCount = draw.isTrue(oneIn: 3) ? 1 + draw.below(2) : 0
    pools = (0..<poolCount).map { _ in draw.pool() }
    // Each program has some of the kinds only: all at once hide what one would show.
    var kinds = ProgramDraw.Kind.allCases.filter { _ in draw.isTrue(oneIn: 2) }
    if streams.isEmpty { kinds.removeAll { $0.needsStream } }
    if files == 0 { kinds.removeAll { $0 == .file } }
    if pools.isEmpty { kinds.removeAll { $0 == .pool } }
    if kinds.isEmpty { kinds = [.timer, .work] }
    let tasks = 1 + draw.below(6)
    draw.impatience = 1 + draw.below(6)
    for _ in 0..<(3 + draw.below(50)) {
      steps.append(draw.step(kinds, self, tasks))
    }
  }
}

/// What programs are drawn by: a generator of its own, so that a program depends on nothing but its seed.
struct ProgramDraw {
  /// What belongs together in a program.
  enum Kind: CaseIterable {
    case pause, compute, cancelTask, timer, write, read, frames, handler, drain, end, timeouts, connect, file,
      path, pool, work, loops
    case names, child, datagrams, http, visits, deadlines, folder

    var needsStream: Bool {
      switch self {
      case .write, .read, .frames, .handler, .drain, .end, .timeouts: true
      default: false
      }
    }
  }

  private var state: UInt64
  /// One step of so many gives up.
  var impatience = 3
  /// Times are so many times shorter.
  var hurry = 1

  init(_ seed: UInt64) {
    // Neighbours have nothing in common.
    state = seed
    for _ in 0..<3 { state ^= UInt64(below(1 << 32)) << 32 | UInt64(below(1 << 32)) }
  }

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var x = state
    x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
    x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((x ^ (x >> 31)) % UInt64(bound))
  }

  mutating func isTrue(oneIn count: Int) -> Bool { below(count) == 0 }

  mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

  /// A time in microseconds, of any order of magnitude.
  private mutating func time() -> Int {
    below(one(of: [1, 100, 1000, 20_000, 20_000, 400_000, 3_000_000])) / hurry
  }

  /// A number of bytes.
  private mutating func size() -> Int { below(one(of: [2, 40, 40, 3000, 70_000, 300_000])) }

  mutating func pool() -> ProgramPool {
    ProgramPool(
      resources: 1 + below(3), wait: one(of: [20, 500, 5000]), creation: one(of: [0, 1, 50, 400]),
      idle: one(of: [0, 50, 5000]), lifetime: one(of: [100, 2000, 100_000]))
  }

  mutating func step(_ kinds: [Kind], _ program: RandomProgram, _ tasks: Int) -> ProgramStep {
    var step = ProgramStep(below(tasks), action(one(of: kinds), program, tasks))
    step.style = one(of: ProgramStep.Style.allCases)
    step.waits = isTrue(oneIn: 3)
    if isTrue(oneIn: impatience) { step.end = end() }
    return step
  }

  private mutating func end() -> ProgramStep.End {
    switch below(8) {
    case 0: .cancelAtOnce
    case 1: .cancelInMicrotask
    case 2: .cancelNextTurn
    case 3: .cancelBusy(below(20_000))
    case 4: .timeout(time())
    case 5: .deadline(time())
    default: .cancel(after: time())
    }
  }

  private mutating func action(_ kind: Kind, _ program: RandomProgram, _ tasks: Int) -> ProgramStep.Action {
    let stream = program.streams.isEmpty ? 0 : below(program.streams.count)
    let file = program.files == 0 ? 0 : below(program.files)
    switch kind {
    case .pause: return .pause(time())
    case .compute: return .compute(below(one(of: [500, 30_000])))
    case .cancelTask: return .cancelTask(below(tasks))
    case .timer:
      return isTrue(oneIn: 2) ? .sleep(time()) : .timer(time(), moved: isTrue(oneIn: 2) ? 0 : time())
    case .write: return .write(stream, size(), parts: 1 + (isTrue(oneIn: 2) ? 0 : below(5)))
    case .read: return .next(stream)
    case .frames:
      switch below(6) {
      case 0: return .peek(stream, size())
      case 1: return .until(stream, UInt8(below(256)))
      case 2: return .readInto(stream, 1 + size())
      default: return .read(stream, size())
      }
    case .handler: return .handler(stream, time())
    case .drain: return .drain(stream)
    case .end:
      if !isTrue(oneIn: 4) { return .next(stream) }
      return one(of: [.shutdown(stream), .shutdown(stream), .close(stream), .reset(stream)])
    case .timeouts:
      let length = isTrue(oneIn: 3) ? 0 : 1000 + below(one(of: [20_000, 3_000_000]))
      switch below(6) {
      case 0: return .idleTimeout(stream, length)
      case 1: return .writeTimeout(stream, length == 0 ? 0 : length + 2_000_000)
      default: return .readTimeout(stream, length)
      }
    case .connect: return .connect(one(of: [.tcp, .tls]))
    case .file:
      switch below(6) {
      case 0: return .fileStatus(file)
      case 1: return .fileSync(file)
      case 2, 3: return .fileRead(file)
      default: return .fileWrite(file, 1 + size(), parts: 1 + below(4))
      }
    case .path: return one(of: [.fileOpen, .wholeFile(below(9000)), .temporaryFolder])
    case .pool:
      let pool = below(program.pools.count)
      if isTrue(oneIn: 12) { return .closePool(pool) }
      return .lease(pool, holding: time(), isDiscarded: isTrue(oneIn: 4))
    case .work: return .work(time() / 10)
    case .loops:
      switch below(3) {
      case 0: return .submit(below(100))
      case 1: return .post(1 + below(one(of: [5, 300, 6000])))
      default: return .run(time())
      }
    case .visits: return .visit(one(of: ProgramTransport.allCases), size(), one(of: ProgramFarewell.allCases))
    case .deadlines: return .deadlines(1000 + time(), inner: 1000 + time(), sleep: 1000 + time())
    case .folder: return .folder(below(6))
    case .names: return .resolve
    case .child: return .child(size() / 4, code: below(256))
    case .datagrams: return .datagrams(1 + below(20), bytes: below(1200))
    case .http: return .http(size() / 4, after: time())
    }
  }
}
