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
    case .visit(let transport, let count, let farewell): await visit(step, track, transport, count, farewell)
    case .deadlines(let outer, let inner, let work): await deadlines(step, track, outer, inner, work)
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
        direct: {
          let bytes = next()
          if bytes.count == 1 {
            try await stream.write(bytes[0]).value
          } else {
            try await stream.write(bytes).value
          }
        },
        { [loop] in
          Request<Void>(deferred: loop) {
            let bytes = next()
            return bytes.count == 1 ? stream.write(bytes[0]) : stream.write(bytes)
          }
        }
      ) { [world] result in
        if number == 0 { return }
        let isInOrder = step.style == .callback && step.isPatient
        if let text = end.wrote(number, result, isInOrder: isInOrder) { world.complain("\(step): \(text)") }
      }
    case .drain:
      end.openDrains += 1
      await ask(step, track, mayFail: end.mayFailToWrite, callback: stream.drain, stream.drain) { _ in
        end.openDrains -= 1
      }
    case .shutdown:
      end.isShut = true
      end.openShutdowns += 1
      await ask(step, track, mayFail: end.mayFailToWrite, callback: stream.shutdown, stream.shutdown) { _ in
        end.openShutdowns -= 1
      }
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
}

extension ProgramStep {
  fileprivate var isPatient: Bool { end == .patient }

}

extension Request {
  /// A request that is made when it is started.
  init(deferred loop: EventLoop, _ make: @escaping () -> Request<Success>) {
    self.init(loop) { done in make().start(done) }
  }
}
