import Testing
import UV
import UVTLS
import UVTestSupport

/// Runs one combination of the readers' table, and says what is wrong.
struct ReadRun: ContractRun {
  let combination: ReadCombination
  let peer: Peer
  private let near: NearEnd
  private let outcomes = Log<Result<Bytes?, UVError>>()
  private let later = Log<Result<Bytes?, UVError>>()

  init(_ combination: ReadCombination, _ context: TLSContext) {
    self.combination = combination
    (near, peer) = NearEnd.connected(combination.transport, context)
  }

  var name: String { combination.description }
  var isHosted: Bool { combination.transport.isHosted }
  var isShutDown: Bool { combination.event == .loopShutsDown }

  /// One message in every sense: 300 bytes, with the only ends of lines at its end.
  private static let message: [UInt8] =
    (0..<296).map { UInt8(ascii: "a") + UInt8($0 % 23) } + Array("\r\n\r\n".utf8)
  private static let half = 150

  nonisolated(nonsending) func body(_ loop: EventLoop) async throws {
    let stream = try await near.open(loop)
    switch combination.state {
    case .nothing: break
    case .part: peer.say(Self.message[..<Self.half])
    case .peeked:
      peer.say(Self.message[..<Self.half])
      _ = try await stream.peek(exactly: Self.half).value
    }
    let asked = ask(stream)
    // The part has been seen, unless nobody looks.
    for _ in 0..<3 { try await loop.sleep(for: .milliseconds(1)).value }
    switch asked {
    case .pending(let pending) where combination.event == .cancel: pending.cancel()
    case .task(let task) where combination.event == .taskCancelled: task.cancel()
    default: happen(stream)
    }
    if isShutDown {
      if loop.isAdopted { loop.detach() } else { loop.stop() }
      return
    }
    try await loop.until { !outcomes.values.isEmpty }
    if combination.givesUp { try await goOn(stream) }
    if combination.event != .peerResets { peer.read() }
    try await stream.close().value
  }

  private func ask(_ stream: ByteStream) -> Asked {
    let limit: Duration? = combination.event == .timeout ? .milliseconds(10) : nil
    let outcomes = outcomes
    func ask<T>(_ request: Request<T>, _ asBytes: @escaping (T) -> Bytes?) -> Asked {
      .start(request, by: combination.caller, within: limit) { outcomes.append($0.map(asBytes)) }
    }
    switch combination.ask {
    case .chunk: return ask(stream.next()) { $0 }
    case .exactly: return ask(stream.read(exactly: Self.message.count)) { $0 }
    case .peek: return ask(stream.peek(exactly: Self.message.count)) { $0 }
    case .line: return ask(stream.readLine(limit: 1000)) { $0 }
    case .crlfLine: return ask(stream.readLine(limit: 1000, onlyCRLF: true)) { $0 }
    case .until: return ask(stream.read(until: "\r\n\r\n", limit: 1000)) { $0 }
    case .toEnd: return ask(stream.readToEnd(limit: 1000)) { $0 }
    }
  }

  private func happen(_ stream: ByteStream) {
    switch combination.event {
    case .cancel, .taskCancelled, .timeout, .loopShutsDown: break
    case .rest: sendRest()
    case .readTimeout: stream.readTimeout = .milliseconds(2)
    case .idleTimeout: stream.idleTimeout = .milliseconds(2)
    case .totalTimeout: stream.totalTimeout = .milliseconds(2)
    case .close: stream.close()
    case .peerEnds: peer.endWriting()
    case .peerResets: peer.reset()
    }
  }

  private func sendRest() {
    peer.say(Self.message[(combination.state == .nothing ? 0 : Self.half)...])
    if combination.ask == .toEnd { peer.endWriting() }
  }

  /// The stream goes on after a read that was given up: nothing is lost, and nothing comes twice.
  nonisolated(nonsending) private func goOn(_ stream: ByteStream) async throws {
    (stream.readTimeout, stream.idleTimeout, stream.totalTimeout) = (nil, nil, nil)
    sendRest()
    if combination.ask != .toEnd { peer.endWriting() }
    stream.read(exactly: Self.message.count) { later.append($0) }
    try await stream.loop.until { !later.values.isEmpty }
    stream.next { later.append($0) }
    try await stream.loop.until { later.values.count == 2 }
  }

  func problems() -> [String] {
    guard outcomes.values.count == 1 else { return ["a read has one outcome, not \(outcomes.values)"] }
    var problems: [String] = []
    let outcome = outcomes.values[0]
    if !combination.outcomes.contains(outcome.error?.code) { problems.append("the outcome is \(outcome)") }
    if case .success(let bytes) = outcome {
      let bytes = Array(bytes ?? Bytes())
      let isWhole = Self.message.starts(with: bytes) && bytes.count >= 296
      let expected =
        combination.event == .rest
        ? isWhole : combination.state == .nothing ? bytes.isEmpty : bytes == Array(Self.message[..<Self.half])
      if !expected { problems.append("other bytes were read: \(bytes.count)") }
    }
    if combination.givesUp {
      let read = later.values.map { $0.map { $0.map(Array.init) } }
      if (try? read.first?.get()) != Self.message { problems.append("the next reader gets \(read)") }
      if read.count < 2 || (try? read[1].get()) != .some(nil) {
        problems.append("the end is \(read.last as Any)")
      }
    }
    return problems
  }
}
