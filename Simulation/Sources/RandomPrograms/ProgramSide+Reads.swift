import SimulatedWorlds
import UV
import WorldSupport

/// Reads and handlers, and what the model allows of their answers.
extension ProgramSide {
  func read(_ step: ProgramStep, _ track: ProgramTrack, _ end: ProgramStreamEnd) async {
    let stream = end.stream
    var note: ((Bytes?, Bool) -> Void)?
    var (begin, isFirst, hadHandler) = (loop.clock.now, false, false)
    func judgeTime(_ error: UVError?) {
      guard isFirst,
        let text = end.judgeTime(of: "\(step)", since: begin, error, isLate: step.isPatientNext, slack: slack)
      else { return }
      world.complain(text)
    }
    func begins() {
      (begin, isFirst, hadHandler) = (loop.clock.now, end.openReads == 0, end.hasHandler)
      note = end.read(step.need)
    }
    // The read gets its place when it begins.
    func ask(_ read: @escaping () -> Request<Bytes?>, _ taken: @escaping (Bytes) -> Bytes? = { $0 }) async {
      await self.ask(
        step, track,
        mayFail: { error in
          judgeTime(error)
          return end.mayFailToRead(error) || hadHandler && error.code == .sourceStarted
        },
        direct: {
          begins()
          return try await read().value
        },
        { [loop] in
          Request<Bytes?>(deferred: loop) {
            begins()
            return read()
          }
        }
      ) { [self] result in
        if case .success? = result { judgeTime(nil) }
        if let result, let text = end.noteEnd(result, isInOrder: step.style == .callback) {
          world.complain("\(step): \(text)")
        }
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
  func handle(_ end: ProgramStreamEnd, for time: Int) {
    if end.openReads > 0 || end.hasHandler || end.isClosed || end.hasFinished { return }
    end.hasHandler = true
    let note = end.read(1)
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

  /// How many bytes answer a read; nil if that isn't known.
  fileprivate var need: Int? {
    switch action {
    case .next, .readInto: 1
    case .read(_, let count), .peek(_, let count): count
    default: nil
    }
  }
}
