import SimulatedWorlds
import Synchronization
import UV
import WorldSupport

// Sound: one thread of a world runs at a time.
/// A run of a ``RandomProgram``: two sides, on two hosts or, where a stream reaches no further, on one.
final class ProgramWorld: @unchecked Sendable {
  let program: RandomProgram
  /// Everything that was asked.
  var questions: [ProgramQuestion] = []
  /// The connections beside the streams.
  var visits: [ProgramVisit] = []
  private let complaints = Mutex<[String]>([])
  var sides: [ProgramSide?] = [nil, nil]
  /// How many sides have come to each point at which they wait for each other.
  private var met: [String: Int] = [:]
  var isListening = false

  let place: ProgramPlace

  init(_ program: RandomProgram, _ place: ProgramPlace) { (self.program, self.place) = (program, place) }

  var isOneHost: Bool { place.isReal || program.streams.contains(.unix) || program.streams.contains(.pair) }

  func complain(_ text: String) { complaints.withLock { $0.append(text) } }

  /// Waits until both sides have come here.
  nonisolated(nonsending) func meet(_ point: String, _ loop: EventLoop) async throws {
    met[point, default: 0] += 1
    while met[point]! < 2 { try await loop.sleep(for: .milliseconds(10)).value }
  }

  /// Runs both sides on one loop.
  nonisolated(nonsending) func run(_ numbers: [Int], on loop: EventLoop) async throws {
    let sides = numbers.map { number in
      loop.spawn { [self] () async throws in try await ProgramSide(self, number, loop).run() }
    }
    for side in sides { try await side.value }
  }

  func check() throws {
    if let complaint = complaints.withLock({ $0.first }) { throw Violation(complaint) }
    if let wrong = questions.first(where: { !$0.isRight }) {
      throw Violation("\(wrong.text): answered \(wrong.answers) times")
    }
    for (number, side) in sides.enumerated() {
      for (index, end) in side!.ends.enumerated() {
        try end!.check("stream \(index), what side \(number) has read")
      }
      try side!.services.check()
    }
  }
}

/// A task of a program.
final class ProgramTrack {
  var task: LoopTask<Void, Never>?
  var isCancelled = false
  /// What it waits for itself.
  var question: ProgramQuestion?
}

// Sound: one thread of a world runs at a time.
/// One side of a program: its ends of the streams, its files and pools, and its tasks.
final class ProgramSide: @unchecked Sendable {
  let world: ProgramWorld
  let number: Int
  let loop: EventLoop
  let services: ProgramServices
  var ends: [ProgramStreamEnd?]
  var tracks: [Int: ProgramTrack] = [:]
  private var computed = Duration.zero
  /// How many visitors haven't seen the end.
  var openVisits = 0
  var listening: [() -> Void] = []
  var accepting: [LoopTask<Void, any Error>] = []

  static let visitor: UInt8 = 255
  init(_ world: ProgramWorld, _ number: Int, _ loop: EventLoop) {
    (self.world, self.number, self.loop) = (world, number, loop)
    ends = Array(repeating: nil, count: world.program.streams.count)
    services = ProgramServices(loop, world, number)
    world.sides[number] = self
  }

  /// How late an answer may be: what the loop has computed, and what rounding takes.
  var slack: Duration { world.place.slack + (world.sides.reduce(.zero) { $0 + ($1?.computed ?? .zero) }) * 2 }

  func compute(_ time: Int) {
    let start = loop.clock.now
    loop.block(for: .microseconds(time))
    computed += start.duration(to: .now)
  }

  func run() async throws {
    try await services.setUp()
    if number == 1 { try listen() } else { try await connect() }
    while ends.contains(where: { $0 == nil }) { try await loop.sleep(for: .milliseconds(10)).value }
    try await world.meet("the streams are there", loop)
    for (index, end) in ends.enumerated() { end!.peer = world.sides[1 - number]!.ends[index] }
    let steps = world.program.steps.filter { $0.task % 2 == number }
    for task in Set(steps.map(\.task)).sorted() { tracks[task] = ProgramTrack() }
    for (task, track) in tracks.sorted(by: { $0.key < $1.key }) {
      track.task = loop.spawn { [self] in
        for step in steps where step.task == task { await perform(step, track) }
      }
    }
    let monitor = ProgramMonitor(self)
    let monitoring = loop.spawn { await monitor.watch() }
    let begin = loop.clock.now
    var open = tracks.count
    for (_, track) in tracks.sorted(by: { $0.key < $1.key }) {
      loop.spawn {
        await track.task!.value
        open -= 1
      }
    }
    while open > 0, begin.duration(to: loop.clock.now) < world.place.patience {
      try await loop.sleep(for: .milliseconds(20)).value
    }
    try await world.meet("the tasks have ended or wait", loop)
    monitoring.cancel()
    // A task that still waits hears of the ends of the streams.
    for end in ends { try await finish(end!) }
    try await world.meet("the streams have ended", loop)
    for end in ends where !end!.stream.isClosing {
      end!.hasFinished = true
      try await end!.stream.close().value
    }
    while open > 0 { try await loop.sleep(for: .milliseconds(20)).value }
    try await waitForAnswers()
    while openVisits > 0 { try await loop.sleep(for: .milliseconds(20)).timeout(after: .seconds(3600)).value }
    try await world.meet("the tasks have ended", loop)
    for close in listening { close() }
    for task in accepting { try await task.value }
    try await services.end()
  }

  /// Waits until everything that was asked here is answered, which nothing holds up any more.
  private func waitForAnswers() async throws {
    let begin = loop.clock.now
    while let open = world.questions.first(where: { $0.side == number && !$0.isRight && $0.answers == 0 }) {
      if begin.duration(to: loop.clock.now) > .seconds(3600) {
        throw Violation("\(open.text) isn't answered")
      }
      try await loop.sleep(for: .milliseconds(20)).value
    }
  }
}
