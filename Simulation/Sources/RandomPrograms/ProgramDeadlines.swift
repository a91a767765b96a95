import SimulatedWorlds
import UV
import WorldSupport

extension ProgramSide {
  /// A deadline around another one, and a sleep in both: which of the three comes first says what happens, and when.
  func deadlines(_ step: ProgramStep, _ track: ProgramTrack, _ outer: Int, _ inner: Int, _ work: Int) async {
    let begin = loop.clock.now
    // Nothing but the model gives up.
    guard !track.isCancelled else { return }
    func passed() -> Int { Int(begin.duration(to: loop.clock.now) / .microseconds(1)) }
    var innerEnd: Int?
    var outcome = 0
    do {
      try await loop.withDeadline(.microseconds(outer)) { [loop] in
        do {
          try await loop.withDeadline(.microseconds(inner)) {
            try await loop.sleep(for: .microseconds(work)).value
          }
        } catch let error as UVError {
          innerEnd = passed()
          outcome = error.code == .timedOut ? 1 : 3
          // The outer one goes on.
          try await loop.sleep(for: .microseconds(work / 2)).value
        }
      }
    } catch let error as UVError { outcome = error.code == .timedOut ? outcome + 4 : 16 } catch {
      outcome = 16
    }
    if track.isCancelled { return }
    let (end, late) = (passed(), Int(slack / .microseconds(1)))
    func expectTime(_ time: Int, _ expected: Int, _ what: String) {
      if time < expected - 1 || time > expected + late { world.complain("\(step): \(what) after \(time) µs") }
    }
    // How far apart two of them are that can't be taken for each other.
    guard abs(outer - inner) > late, abs(outer - work) > late, abs(inner - work) > late else { return }
    switch (min(outer, inner, work), outcome) {
    case (work, 0): expectTime(end, work, "the work ends")
    case (inner, 1), (inner, 5):
      expectTime(innerEnd!, inner, "the inner deadline comes")
      let rest = inner + work / 2
      if abs(rest - outer) <= late * 2 { return }
      if (outcome == 1) != (rest < outer) { world.complain("\(step): outcome \(outcome)") }
      expectTime(end, min(rest, outer), "it ends")
    case (outer, 4...7): expectTime(end, outer, "the outer deadline comes")
    default: world.complain("\(step): outcome \(outcome) after \(end) µs")
    }
  }

  /// Messages to another loop, each of which sends one back. They come in their order, both ways, and at once.
  func post(_ step: ProgramStep, _ track: ProgramTrack, _ count: Int, _ other: LoopExecutor) async {
    let (begin, own) = (loop.clock.now, loop.executor)
    let posted = ProgramPosts()
    let request = Request<Void>(loop) { [self] done in
      for number in 0..<count {
        do throws(UVError) {
          try other.execute { [world] _ in
            if posted.arrived != number { world.complain("\(step): \(number) comes as \(posted.arrived)") }
            posted.arrived += 1
            do throws(UVError) {
              try own.execute { _ in
                if posted.back != number { world.complain("\(step): \(number) is back as \(posted.back)") }
                posted.back += 1
                if posted.back == count { posted.whenAllAreBack?() }
              }
            } catch { world.complain("\(step): \(error)") }
          }
        } catch { world.complain("\(step): \(error)") }
      }
      posted.whenAllAreBack = { done(.success(())) }
      return PendingRequest {
        if posted.whenAllAreBack == nil || posted.back == count { return }
        posted.whenAllAreBack = nil
        done(.failure(UVError(.cancelled, operation: "post")))
      }
    }
    await ask(step, track, { request }) { [self] result in
      let time = begin.duration(to: loop.clock.now)
      if case .success? = result, time > slack { world.complain("\(step): all are back after \(time)") }
    }
  }
}

// Sound: one thread of a world runs at a time.
private final class ProgramPosts: @unchecked Sendable {
  var arrived = 0, back = 0
  var whenAllAreBack: (() -> Void)?
}
