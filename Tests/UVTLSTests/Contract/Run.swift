import CUV
import Foundation
import Testing
import UV
import UVTLS
import UVTestSupport

/// Runs one combination.
struct Run: ContractRun {
  let combination: Combination
  let evidence = Evidence()
  let peer: Peer
  private let near: NearEnd
  private let path: String
  private let content: Content

  /// - Parameters:
  ///   - context: The server's, for TLS.
  ///   - path: Where a file with the bytes that are tested is to be.
  init(_ combination: Combination, _ context: TLSContext, path: String) {
    self.combination = combination
    self.path = path
    content = Content(combination)
    (near, peer) = NearEnd.connected(combination.transport, context)
  }

  var name: String { combination.description }
  var isHosted: Bool { combination.transport.isHosted }
  var isShutDown: Bool { combination.event == .loopShutsDown }

  /// Everything that happens on the loop.
  nonisolated(nonsending) func body(_ loop: EventLoop) async throws {
    let file = combination.payload == .file ? try await file(loop) : nil
    let stream = try await begin(loop, file)
    if isShutDown {
      if loop.isAdopted { loop.detach() } else { loop.stop() }
      return
    }
    if let stream { try await finish(stream) } else { try await finish(loop) }
    if let file { try await file.close().value }
  }

  nonisolated(nonsending) private func file(_ loop: EventLoop) async throws -> File {
    try await loop.files.writeFile(path, Bytes(content.tested)).value
    return try await loop.files.open(path).value
  }

  /// Asks for the write, and has happen what the combination says. Returns the stream, unless the program
  /// lets go of it.
  nonisolated(nonsending) private func begin(_ loop: EventLoop, _ file: File?) async throws -> ByteStream? {
    let stream = try await near.open(loop)
    try await prepare(stream)
    // TLS has sent its tickets already.
    let count = peer.waitingCount
    let asked = ask(stream, file)
    try await reach(stream, asked, beyond: count)
    try await happen(stream, asked)
    return combination.letsGo ? nil : stream
  }

  // MARK: Before

  /// Writes what comes before the write that is tested.
  nonisolated(nonsending) private func prepare(_ stream: ByteStream) async throws {
    if content.before.isEmpty { return }
    switch combination.state {
    case .notBegun, .inFlight:
      // The first leaves at once on some transports. The second waits for the end of the turn, as its writer
      // hasn't been notified.
      stream.write(Bytes(content.before.prefix(1))) { _ in }
      stream.write(Bytes(content.before.dropFirst())) { evidence.note(.before, $0) }
    case .begun: break
    case .blocked:
      stream.write(Bytes(content.before)) { evidence.note(.before, $0) }
      try await waitUntilStuck(stream)
    }
  }

  private func ask(_ stream: ByteStream, _ file: File?) -> Asked {
    let limit: Duration? = combination.event == .timeout ? combination.time : nil
    let evidence = evidence
    func ask<T>(_ request: Request<T>) -> Asked {
      .start(request, by: combination.caller, within: limit) { evidence.note(.tested, $0) }
    }
    // The paths of an await without a timeout are their own.
    func write(_ body: nonisolated(nonsending) @escaping () async throws(UVError) -> Void) -> Asked {
      .task(
        stream.loop.spawn {
          do throws(UVError) { evidence.note(.tested, .success(try await body())) } catch {
            evidence.note(.tested, Result<Void, UVError>.failure(error))
          }
        })
    }
    let isPlainTask = combination.caller == .task && limit == nil
    switch combination.payload {
    case .file: return ask(stream.sendfile(file!, count: content.tested.count))
    case .oneBuffer:
      let bytes = Bytes(content.tested)
      if isPlainTask { return write { () async throws(UVError) in try await stream.write(bytes).value } }
      return ask(stream.write(bytes))
    case .severalBuffers, .emptyBuffersToo:
      let buffers = content.buffers(combination.payload)
      if isPlainTask { return write { () async throws(UVError) in try await stream.write(buffers).value } }
      return ask(stream.write(buffers))
    }
  }

  /// Waits until the write has come as far as the combination says.
  ///
  /// - Parameter count: How many bytes waited for the peer before the write.
  nonisolated(nonsending) private func reach(_ stream: ByteStream, _ asked: Asked, beyond count: Int)
    async throws
  {
    // Within the turn, in which nothing else leaves.
    if case .task = asked { for _ in 0..<3 { await giveWay(stream.loop) } }
    if combination.isRefused { return }
    switch combination.state {
    case .notBegun: break
    case .begun:
      // A timeout may pass before the thread pool has looked at the file.
      try await stream.loop.until { peer.waitingCount > count || evidence.has(.tested) }
      if combination.payload != .file { try await waitUntilStuck(stream) }
    case .inFlight:
      try await waitUntilStuck(stream)
      precondition(stream.writeQueueSize > content.tested.count, "\(combination): there is room")
    case .blocked: precondition(stream.writeQueueSize > content.tested.count, "\(combination): there is room")
    }
  }

  /// Waits until the microtasks that are queued now have run.
  nonisolated(nonsending) private func giveWay(_ loop: EventLoop) async {
    await withCheckedContinuation { continuation in loop.queueMicrotask { continuation.resume() } }
  }

  /// Waits until the system has no room for what was written.
  nonisolated(nonsending) private func waitUntilStuck(_ stream: ByteStream) async throws {
    var (size, turns) = (-1, 0)
    while turns < 5 {
      try await stream.loop.sleep(for: .zero).value
      turns = stream.writeQueueSize == size ? turns + 1 : 0
      size = stream.writeQueueSize
    }
    precondition(size > 0, "\(combination): the system has taken everything")
  }

  // MARK: What happens

  nonisolated(nonsending) private func happen(_ stream: ByteStream, _ asked: Asked) async throws {
    switch combination.event {
    case .cancel: if case .pending(let pending) = asked { pending.cancel() }
    case .taskCancelled: if case .task(let task) = asked { task.cancel() }
    case .timeout, .loopShutsDown, .letGo: break
    case .writeTimeout: stream.writeTimeout = combination.time
    case .idleTimeout: stream.idleTimeout = combination.time
    case .totalTimeout: stream.totalTimeout = combination.time
    case .readTimeout:
      stream.readTimeout = .milliseconds(1)
      stream.next { evidence.note(.reading, $0) }
      try await stream.loop.until { evidence.has(.reading) }
    case .close: stream.close()
    case .shutdown, .shutdownAndLetGo: stream.shutdown { evidence.note(.shutdown, $0) }
    case .peerResets: peer.reset()
    case .peerHalfCloses:
      peer.endWriting()
      stream.next { evidence.note(.reading, $0) }
      try await stream.loop.until { evidence.has(.reading) }
    }
  }

  // MARK: Afterwards

  /// Waits until every caller has been notified. Nobody has a reference to the stream.
  nonisolated(nonsending) private func finish(_ loop: EventLoop) async throws {
    peer.read()
    let expected: [Evidence.Name] =
      [.tested] + (content.before.isEmpty ? [] : [.before])
      + (combination.event == .shutdownAndLetGo ? [.shutdown] : [])
    try await loop.until { expected.allSatisfy(evidence.has) }
  }

  nonisolated(nonsending) private func finish(_ stream: ByteStream) async throws {
    let loop = stream.loop
    // The outcome doesn't wait for a peer that doesn't read.
    if combination.givesUp || combination.endsStream {
      try await loop.until { evidence.has(.tested) }
    }
    if combination.endsByTimeout, combination.endsStream {
      try await loop.until { stream.isClosing }
    }
    if combination.event != .shutdown {
      stream.write(Content.after) { evidence.note(.after, $0) }
      stream.shutdown { evidence.note(.shutdown, $0) }
    }
    if combination.event != .peerResets { peer.read() }
    try await loop.until { evidence.has(.shutdown) && evidence.has(.tested) }
    try await stream.close().value
  }
}
