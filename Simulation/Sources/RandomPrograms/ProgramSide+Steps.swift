import SimulatedWorlds
import UV
import UVTLS
import WorldSupport

extension ProgramSide {
  /// Does one step. What it asks of a stream that isn't there is left out.
  func perform(_ step: ProgramStep, _ track: ProgramTrack) async {
    switch step.action {
    case .pause(let time): try? await loop.sleep(for: .microseconds(time)).value
    case .compute(let time): compute(time)
    case .cancelTask(let number):
      guard let other = tracks[number] else { return }
      other.isCancelled = true
      other.question?.giveUp(loop.clock.now)
      other.task?.cancel()
    case .sleep(let time): await sleep(step, track, .microseconds(time))
    case .timer(let time, let moved): await timer(step, track, time, moved)
    case .connect(let transport): await connect(step, track, transport)
    case .write(let index, _, _), .next(let index), .read(let index, _), .until(let index, _),
      .peek(let index, _),
      .readInto(let index, _), .handler(let index, _), .drain(let index), .shutdown(let index),
      .close(let index),
      .reset(let index), .readTimeout(let index, _), .idleTimeout(let index, _), .writeTimeout(let index, _):
      if let end = ends.dropFirst(index).first { await perform(step, track, on: end!) }
    default: await services.perform(step, track, self)
    }
  }

  // MARK: Time

  private func sleep(_ step: ProgramStep, _ track: ProgramTrack, _ time: Duration) async {
    let begin = loop.clock.now
    await ask(
      step, track, callback: { [loop] in loop.sleep(for: time, $0) }, { [loop] in loop.sleep(for: time) }
    ) {
      [self] result in
      if case .success? = result { judgeTimer(step, begin.duration(to: loop.clock.now), time) }
    }
  }

  private func judgeTimer(_ step: ProgramStep, _ length: Duration, _ time: Duration) {
    if length < time { world.complain("\(step) was early: after \(length)") }
    if length > time + slack { world.complain("\(step) was late: after \(length)") }
  }

  private func timer(_ step: ProgramStep, _ track: ProgramTrack, _ time: Int, _ moved: Int) async {
    var (begin, length) = (loop.clock.now, Duration.microseconds(time))
    let request = Request<Void>(loop) { [self] done in
      do throws(UVError) {
        let timer = try LoopTimer(loop)
        var isOver = false
        let fire = { [self] in
          isOver = true
          judgeTimer(step, begin.duration(to: loop.clock.now), length)
          timer.close()
          done(.success(()))
        }
        begin = loop.clock.now
        try timer.start(after: length, fire)
        if moved > 0 {
          (begin, length) = (loop.clock.now, .microseconds(moved))
          try timer.start(after: length, fire)
        }
        return PendingRequest {
          if isOver { return }
          timer.close()
          done(.failure(UVError(.cancelled, operation: "timer")))
        }
      } catch {
        loop.queueMicrotask { done(.failure(error)) }
        return PendingRequest()
      }
    }
    await ask(step, track, { request })
  }

  // MARK: Streams

  private func connect(_ step: ProgramStep, _ track: ProgramTrack, _ transport: ProgramTransport) async {
    await ask(step, track, { [self] in request(transport) }) { result in
      guard case .success(let stream)? = result else { return }
      stream.write(Bytes([Self.visitor])) { _ in stream.close() }
    }
  }

  private func perform(_ step: ProgramStep, _ track: ProgramTrack, on end: ProgramStreamEnd) async {
    let stream = end.stream
    switch step.action {
    case .write(_, let count, let parts):
      // The record gets its number when the write begins.
      var number = 0
      func next() -> [Bytes] {
        let record = end.record(count, parts: parts)
        number = record.number
        return record.parts
      }
      await ask(
        step, track, mayFail: end.mayFailToWrite,
        callback: { done in
          let bytes = next()
          return bytes.count == 1 ? stream.write(bytes[0], done) : stream.write(bytes, done)
        },
        { [loop] in
          Request<Void>(deferred: loop) {
            let bytes = next()
            return bytes.count == 1 ? stream.write(bytes[0]) : stream.write(bytes)
          }
        }
      ) { result in if number > 0 { end.wrote(number, result) } }
    case .drain: await ask(step, track, mayFail: end.mayFailToWrite, callback: stream.drain, stream.drain)
    case .shutdown:
      end.isShut = true
      await ask(step, track, mayFail: end.mayFailToWrite, callback: stream.shutdown, stream.shutdown)
    case .close, .reset:
      end.isClosed = true
      guard case .reset = step.action, let tcp = stream as? TCPConnection else {
        return await ask(step, track, mayFail: { _ in true }, callback: stream.close, { stream.close() })
      }
      end.wasReset = true
      await ask(step, track, mayFail: { _ in true }, callback: tcp.closeReset, { tcp.closeReset() })
    case .readTimeout, .idleTimeout, .writeTimeout:
      if !end.hasFinished, !end.isShut { end.setTimeout(step.action) }
    case .handler(_, let time): handle(end, for: time)
    default: await read(step, track, end)
    }
  }

  private func read(_ step: ProgramStep, _ track: ProgramTrack, _ end: ProgramStreamEnd) async {
    let stream = end.stream
    var note: ((Bytes?, Bool) -> Void)?
    var (begin, isFirst, hadHandler) = (loop.clock.now, false, false)
    func judgeTime(_ error: UVError?) {
      guard isFirst,
        let text = end.judgeTime(of: "\(step)", since: begin, error, isLate: step.isPatientNext, slack: slack)
      else { return }
      world.complain(text)
    }
    // The read gets its place when it begins.
    func ask(_ read: @escaping () -> Request<Bytes?>, _ taken: @escaping (Bytes) -> Bytes? = { $0 }) async {
      await self.ask(
        step, track,
        mayFail: { error in
          judgeTime(error)
          return end.mayFailToRead(error) || hadHandler && error.code == .sourceStarted
        },
        { [loop] in
          Request<Bytes?>(deferred: loop) {
            (begin, isFirst, hadHandler) = (loop.clock.now, end.openReads == 0, end.hasHandler)
            note = end.read()
            return read()
          }
        }
      ) { [self] result in
        if case .success? = result { judgeTime(nil) }
        guard case .success(let bytes)? = result else {
          note?(nil, true)
          return
        }
        if bytes == nil, !end.mayEnd { world.complain("\(step): the end comes, and nobody has ended") }
        note?(bytes.flatMap(taken), true)
      }
    }
    switch step.action {
    case .next: await ask({ stream.next() })
    case .read(_, let count): await ask({ stream.read(exactly: count) })
    case .peek(_, let count): await ask({ stream.peek(exactly: count) }, { _ in nil })
    case .until(_, let byte):
      await ask({ stream.read(until: Bytes([byte]), limit: 1 << 20) }, { Bytes(Array($0) + [byte]) })
    case .readInto(_, let count):
      // Sound: freed when the answer has come.
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
      await ask({ stream.read(into: buffer).map { $0 == 0 ? nil : Bytes(buffer.prefix($0)) } })
      services.atEnd { buffer.deallocate() }
    default: break
    }
  }

  /// Has a handler for a time, unless somebody reads.
  private func handle(_ end: ProgramStreamEnd, for time: Int) {
    if end.openReads > 0 || end.hasHandler || end.isClosed || end.hasFinished { return }
    end.hasHandler = true
    let note = end.read()
    end.stream.start { [world] result in
      switch result {
      case .success(let bytes):
        note(bytes, bytes == nil)
        if bytes == nil, !end.mayEnd { world.complain("a handler gets the end, and nobody has ended") }
      case .failure(let error):
        note(nil, true)
        if !end.mayFailToRead(error) { world.complain("a handler gets \(error)") }
      }
      if (try? result.get()) == nil { end.hasHandler = false }
    }
    loop.sleep(for: .microseconds(time)) { _ in
      guard end.hasHandler else { return }
      end.stream.stop()
      end.hasHandler = false
      note(nil, true)
    }
  }
}

extension ProgramStep {
  fileprivate var isPatientNext: Bool { if case .next = action { end == .patient } else { false } }
}

extension Request {
  /// A request that is made when it is started.
  init(deferred loop: EventLoop, _ make: @escaping () -> Request<Success>) {
    self.init(loop) { done in make().start(done) }
  }
}
