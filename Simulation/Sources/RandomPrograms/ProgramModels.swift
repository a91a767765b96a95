import SimulatedWorlds
import UV
import WorldSupport

/// A file, of which each write has a part of its own, so that writes and reads at once have one right answer.
final class ProgramFile {
  private let file: File
  private var size = 0
  private var lastNumber = 0
  private var known: [(offset: Int, bytes: Bytes)] = []

  init(_ file: File) { self.file = file }

  func perform(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide) async {
    let (file, world) = (file, side.world)
    switch step.action {
    case .fileWrite(_, let count, let parts):
      lastNumber += 1
      let (bytes, offset) = (message(lastNumber, count), size)
      size += count
      let length = count / parts + 1
      let pieces = stride(from: 0, to: count, by: length).map {
        Bytes(bytes[(bytes.startIndex + $0)...].prefix(length))
      }
      await side.ask(
        step, track,
        callback: {
          pieces.count == 1
            ? file.write(bytes, at: Int64(offset), $0) : file.write(pieces, at: Int64(offset), $0)
        },
        { pieces.count == 1 ? file.write(bytes, at: Int64(offset)) : file.write(pieces, at: Int64(offset)) }
      ) { [self] in if case .success? = $0 { known.append((offset, bytes)) } }
    case .fileRead:
      guard let (offset, bytes) = known.last else { return }
      await side.ask(
        step, track, callback: { file.read(bytes.count, at: Int64(offset), $0) },
        { file.read(bytes.count, at: Int64(offset)) }
      ) {
        if case .success(let read)? = $0, read.isEmpty || read != Bytes(bytes.prefix(read.count)) {
          world.complain("\(step): \(read.count) bytes, or others than were written")
        }
      }
    case .fileSync: await side.ask(step, track, callback: file.sync, file.sync)
    default:
      let least = known.map { $0.offset + $0.bytes.count }.max() ?? 0
      await side.ask(step, track, callback: file.stat, file.stat) { [self] in
        if case .success(let status)? = $0, !(least...size).contains(Int(status.size)) {
          world.complain("\(step): a size of \(status.size), not of \(least) to \(size)")
        }
      }
    }
  }

  nonisolated(nonsending) func check(_ loop: EventLoop) async throws {
    let all = try await loop.files.readFile(file.path).value
    for (offset, bytes) in known {
      try expect(
        Bytes(all.dropFirst(offset).prefix(bytes.count)) == bytes, "\(file.path): other bytes at \(offset)")
    }
    try await file.close().value
  }
}

/// A pool, whose resources know who has them.
final class ProgramPoolModel {
  final class Resource: PoolResource {
    let model: ProgramPoolModel
    var isLent = false
    private var isClosed = false

    init(_ model: ProgramPoolModel) { self.model = model }

    var isReusable: Bool { true }

    func close() -> Request<Void> {
      if isClosed { model.world.complain("a resource is closed twice") }
      if isLent { model.world.complain("a resource is closed while it is lent") }
      isClosed = true
      model.live -= 1
      return model.loop.sleep(for: .zero)
    }
  }

  let loop: EventLoop
  let world: ProgramWorld
  private let limits: ProgramPool
  private var pool: Pool<Resource>!
  fileprivate var live = 0
  private var isClosed = false
  private var lastTicket = 0
  private var waiting: Set<Int> = []

  init(_ loop: EventLoop, _ world: ProgramWorld, _ limits: ProgramPool) {
    (self.loop, self.world, self.limits) = (loop, world, limits)
    var bounds = PoolLimits()
    bounds.resources = limits.resources
    bounds.wait = .milliseconds(limits.wait)
    bounds.idle = .milliseconds(limits.idle)
    bounds.lifetime = .milliseconds(limits.lifetime)
    pool = Pool(loop, limits: bounds) { [unowned self] in
      if limits.creation > 0 { try await loop.sleep(for: .milliseconds(limits.creation)).value }
      live += 1
      if live > limits.resources { world.complain("\(live) resources of a pool of \(limits.resources)") }
      return Resource(self)
    }
  }

  func lease(
    _ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide, _ holding: Int, _ isDiscarded: Bool
  ) async {
    let request = { [self] in
      Request<PoolLease<Resource>>(loop) { [self] done in
        lastTicket += 1
        let (ticket, begin) = (lastTicket, loop.clock.now)
        waiting.insert(ticket)
        let pending = pool.lease { [self] result in
          waiting.remove(ticket)
          if case .success = result, let first = waiting.min(), first < ticket {
            world.complain("\(step): waiter \(ticket) has a resource before waiter \(first)")
          }
          let time = begin.duration(to: loop.clock.now)
          if time > .milliseconds(limits.wait) + side.slack {
            world.complain("\(step) has waited for \(time)")
          }
          if case .failure(let error) = result, error.code == .timedOut, time < .milliseconds(limits.wait) {
            world.complain("\(step) has waited for \(time) only")
          }
          done(result)
        }
        return PendingRequest { [self] in
          waiting.remove(ticket)
          pending.cancel()
        }
      }
    }
    await side.ask(
      step, track,
      mayFail: { [self] in $0.code == .timedOut || isClosed && ($0.isCancelled || $0.code == .badDescriptor)
      },
      request
    ) { [self] result in
      guard case .success(let lease)? = result else { return }
      if lease.resource.isLent { world.complain("\(step): the resource is somebody else's") }
      lease.resource.isLent = true
      loop.sleep(for: .microseconds(holding)) { _ in
        lease.resource.isLent = false
        if isDiscarded { lease.discard() } else { lease.giveBack() }
      }
    }
  }

  func close(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide) async {
    isClosed = true
    await side.ask(step, track, callback: pool.close, { [self] in pool.close() })
  }

  nonisolated(nonsending) func end() async throws {
    isClosed = true
    try await pool.close().value
  }

  func check() throws { try expect(live == 0, "\(live) resources of a pool are left") }
}
