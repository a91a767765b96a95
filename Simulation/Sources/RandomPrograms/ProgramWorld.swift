import SimulatedWorlds
import UV
import UVSimulation
import UVTLS
import WorldSupport

// Sound: one thread of a world runs at a time.
/// A run of a ``RandomProgram``: two sides, on two hosts or, where a stream reaches no further, on one.
final class ProgramWorld: @unchecked Sendable {
  let program: RandomProgram
  /// Everything that was asked.
  var questions: [ProgramQuestion] = []
  private var complaints: [String] = []
  var sides: [ProgramSide?] = [nil, nil]
  /// How many sides have come to each point at which they wait for each other.
  private var met: [String: Int] = [:]
  var isListening = false

  init(_ program: RandomProgram) { self.program = program }

  var isOneHost: Bool { program.streams.contains(.unix) || program.streams.contains(.pair) }

  func complain(_ text: String) { complaints.append(text) }

  /// Waits until both sides have come here.
  nonisolated(nonsending) func meet(_ point: String, _ loop: EventLoop) async throws {
    met[point, default: 0] += 1
    while met[point]! < 2 { try await loop.sleep(for: .milliseconds(10)).value }
  }

  func run(_ world: World) throws {
    let filter: nonisolated(nonsending) @Sendable (EventLoop, [String]) async throws -> Int = {
      loop, arguments in
      let (input, output) = (try loop.standardInput, try loop.standardOutput)
      for try await bytes in input { try await output.write(bytes).value }
      return Int(arguments[0])!
    }
    world.executable("filter", filter)
    func node(_ name: String, _ numbers: [Int]) {
      world.node(name, mayBeBusy: false) { loop in
        let sides = numbers.map { number in
          loop.spawn { [self] () async throws in try await ProgramSide(self, number, loop).run() }
        }
        for side in sides { try await side.value }
      }
    }
    if isOneHost {
      node("server", [1, 0])
    } else {
      for (number, name) in ["client", "server"].enumerated() { node(name, [number]) }
    }
    for host in world.hosts {
      try world.wait(for: host)
      try expect(
        host.openDescriptors <= 2, "\(host.name) has left \(host.openDescriptors - 2) descriptors open")
    }
    try check()
  }

  private func check() throws {
    if let complaint = complaints.first { throw Violation(complaint) }
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
  private var listening: [() -> Void] = []
  private var accepting: [LoopTask<Void, any Error>] = []

  static let visitor: UInt8 = 255
  /// By then every task has done what it can without the end of the streams.
  private static let patience = Duration.seconds(30)

  init(_ world: ProgramWorld, _ number: Int, _ loop: EventLoop) {
    (self.world, self.number, self.loop) = (world, number, loop)
    ends = Array(repeating: nil, count: world.program.streams.count)
    services = ProgramServices(loop, world, number)
    world.sides[number] = self
  }

  /// How late an answer may be: what the loop has computed, and what rounding takes.
  var slack: Duration { .milliseconds(50) + (world.sides.reduce(.zero) { $0 + ($1?.computed ?? .zero) }) * 2 }

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
    let begin = loop.clock.now
    var open = tracks.count
    for (_, track) in tracks.sorted(by: { $0.key < $1.key }) {
      loop.spawn {
        await track.task!.value
        open -= 1
      }
    }
    while open > 0, begin.duration(to: loop.clock.now) < Self.patience {
      try await loop.sleep(for: .milliseconds(20)).value
    }
    try await world.meet("the tasks have ended or wait", loop)
    // A task that still waits is told by the ends of the streams.
    for end in ends { try await finish(end!) }
    try await world.meet("the streams have ended", loop)
    for end in ends where !end!.stream.isClosing {
      end!.hasFinished = true
      try await end!.stream.close().value
    }
    while open > 0 { try await loop.sleep(for: .milliseconds(20)).value }
    try await waitForAnswers()
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

  // MARK: Streams

  /// Every connection says first which stream it is.
  private func listen() throws(UVError) {
    func accept<Source: ConnectionSource>(_ source: Source) {
      listening.append { source.close() }
      accepting.append(
        loop.spawn { [self] () async throws in
          while let stream = try await source.next().value {
            loop.spawn { [self] () async in await greet(stream) }
          }
        })
    }
    accept(try loop.tcp.listen(port: 7))
    do { accept(try loop.tls.listen(port: 8, Certificates.server(loop), handshakeTimeout: .seconds(3600))) }
    if world.isOneHost { accept(try loop.pipes.listen(path: "/tmp/socket")) }
    world.isListening = true
  }

  private func greet(_ stream: ByteStream) async {
    let number = try? await stream.read(exactly: 1).value?.first
    if let number, number != Self.visitor {
      ends[Int(number)] = ProgramStreamEnd(stream, world.program.streams[Int(number)])
      return
    }
    while (try? await stream.next().value) != nil {}
    stream.close()
  }

  private func connect() async throws {
    while !world.isListening { try await loop.sleep(for: .milliseconds(10)).value }
    for (index, transport) in world.program.streams.enumerated() {
      let stream: ByteStream
      if transport == .pair {
        let (here, there) = try loop.pipes.socketPair()
        stream = here
        world.sides[1]!.ends[index] = ProgramStreamEnd(there, transport)
      } else {
        stream = try await request(transport).value
        try await stream.write(Bytes([UInt8(index)])).value
      }
      ends[index] = ProgramStreamEnd(stream, transport)
    }
  }

  func request(_ transport: ProgramTransport) -> Request<ByteStream> {
    switch transport {
    case .tcp: loop.tcp.connect(host: "server", port: 7).map { $0 }
    case .unix, .pair: loop.pipes.connect(path: "/tmp/socket").map { $0 }
    case .tls:
      Request<ByteStream>(loop) { [loop] done in
        let context: TLSContext
        do throws(UVError) { context = try Certificates.client(loop) } catch {
          loop.queueMicrotask { done(.failure(error)) }
          return PendingRequest()
        }
        return loop.tls.connect(host: "server", port: 8, context, handshakeTimeout: .seconds(3600)).start {
          done($0.map { $0 })
        }
      }
    }
  }

  /// Ends a stream as two polite sides do: each says that it has ended, and reads to the other's end.
  private func finish(_ end: ProgramStreamEnd) async throws {
    let stream = end.stream
    if end.wasClosed {
      // A close that was cancelled before it began.
      if !stream.isClosing { stream.close() }
      return
    }
    end.endTimeouts()
    if end.hasHandler { stream.stop() }
    end.hasHandler = false
    // It may have been asked for, and been cancelled before it began.
    let wasShut = end.isShut
    end.isShut = true
    stream.shutdown { [world] result in
      if case .failure(let error) = result, !wasShut, !end.mayFailToWrite(error) {
        world.complain("the last shutdown: \(error)")
      }
    }
    let read = end.read()
    do throws(UVError) {
      while let bytes = try await stream.next().timeout(after: .seconds(3000)).value { read(bytes, false) }
      end.sawEnd = true
    } catch {
      end.readError = error
      if !end.mayFailToRead(error) { world.complain("the last read: \(error)") }
    }
    read(nil, true)
  }
}
