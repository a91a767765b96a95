import CBenchSupport

/// Two programs that others wrote and that end, which are measured against each other.
struct CommandRivals: Rivals {
  let base: String
  let head: String
  let directory: String
  /// A command that is run before each program is started.
  var preparation: String?
  /// The codes with which they may end.
  var exitCodes: Set<Int32> = [0]
  /// How many pairs of duels, and how many times four turns, a sample has.
  private var (duels, turns) = (1, 1)

  let isServer = false
  let figures: Set<OutsideFigure> = [.cpu, .time, .memory]

  /// How long the runs of a sample shall take at least, in nanoseconds.
  private static let least = 0.6e9

  init(base: String, head: String, directory: String) {
    (self.base, self.head, self.directory) = (base, head, directory)
  }

  /// Runs both once, and finds how often they have to run to be measured.
  mutating func prepare() throws {
    let times = try [base, head].map { try turn($0).wallNanoseconds }
    duels = min(6, max(1, Int(Self.least / max(times[0] + times[1], 1))))
    turns = min(2, duels)
  }

  func sample(
    headFirst: Bool, figures: Set<OutsideFigure>, random: inout SplitMix64
  ) throws -> [OutsideFigure: OutsideSample] {
    var samples: [OutsideFigure: [OutsideSample]] = [:]
    for _ in 0..<duels {
      var (cpu, memory) = (Quad(base: [], head: []), Quad(base: [], head: []))
      for headBegins in [headFirst, !headFirst] {
        let ends = try duel(headBegins: headBegins)
        cpu.add(ends.base.cpuNanoseconds, ends.head.cpuNanoseconds)
        memory.add(ends.base.peakBytes, ends.head.peakBytes)
      }
      samples[.cpu, default: []].append(OutsideSample(cpu))
      samples[.memory, default: []].append(OutsideSample(memory))
    }
    for _ in 0..<(figures.contains(.time) ? turns : 0) {
      let isFirst = random.next() & 1 == 0
      var quad = Quad(base: [], head: [])
      for isHead in [isFirst, !isFirst, !isFirst, isFirst] {
        let side = isHead ? \Quad.head : \Quad.base
        let command = isHead ? head : base
        quad[keyPath: side].append(try turn(command).wallNanoseconds)
      }
      samples[.time, default: []].append(OutsideSample(quad))
    }
    return samples.compactMapValues { OutsideSample($0) }
  }

  /// Both run at the same time on the same processor.
  private func duel(headBegins: Bool) throws -> (base: TendedProgram.Ending, head: TendedProgram.Ending) {
    let processor = bench_usable_cpu(0)
    let commands = headBegins ? [head, base] : [base, head]
    // One would have the processor while the other makes ready.
    if let preparation {
      for _ in commands { try TendedProgram.prepare(preparation, directory: directory) }
    }
    let programs = try commands.map { try start($0, on: processor) }
    let ends = try zip(commands, programs).map(finish)
    return headBegins ? (ends[1], ends[0]) : (ends[0], ends[1])
  }

  /// One of them by itself.
  private func turn(_ command: String) throws -> TendedProgram.Ending {
    if let preparation { try TendedProgram.prepare(preparation, directory: directory) }
    return try finish(command, start(command))
  }

  private func start(_ command: String, on processor: Int32 = -1) throws -> TendedProgram {
    bench_pin_thread(processor)
    defer { bench_unpin_thread() }
    return try TendedProgram(command, directory: directory)
  }

  private func finish(_ command: String, _ program: TendedProgram) throws -> TendedProgram.Ending {
    defer { program.finish() }
    guard let ending = try program.ending(within: 3600) else {
      throw WrongWork("`\(command)` doesn't end within an hour; for a server, use --server")
    }
    guard exitCodes.contains(ending.code) else {
      throw WrongWork("`\(command)` ended with code \(ending.code)\(program.lastWords)")
    }
    return ending
  }
}

extension Quad {
  fileprivate mutating func add(_ old: Double, _ new: Double) {
    base.append(old)
    head.append(new)
  }
}
