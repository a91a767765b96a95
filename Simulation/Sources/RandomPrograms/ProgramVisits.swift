import SimulatedWorlds
import UV
import UVSimulation
import WorldSupport

/// How the server ends a visit, once it has written its answer.
public enum ProgramFarewell: Int, Hashable, Sendable, CaseIterable {
  /// At once; when the answer is reported as written; by letting go of the stream; by ending its side first and waiting
  /// for the visitor's end; by letting go after it has asked for that; by a reset.
  case close, closeWhenWritten, letGo, shutdown, shutdownAndLetGo, reset
}

/// A connection beside the program's streams: a question, an answer of so many bytes, and an end.
final class ProgramVisit {
  let number: Int
  let count: Int
  let transport: ProgramTransport
  let farewell: ProgramFarewell
  /// What was reported to the server of its answer; nil if nothing was.
  var written: Result<Void, UVError>?
  var hasBegun = false

  init(_ number: Int, _ count: Int, _ transport: ProgramTransport, _ farewell: ProgramFarewell) {
    (self.number, self.count, self.transport, self.farewell) = (number, count, transport, farewell)
  }

  var text: String { "visit \(number), \(count) bytes over \(transport), \(farewell)" }

  /// Whether everything that was written must come, and the end, too.
  ///
  /// Without a `shutdown` the system may have no room for TLS' last word.
  func mustBeWhole(_ world: ProgramWorld) -> Bool {
    guard case .success? = written, farewell != .reset || !isResettable else { return false }
    let weather = world.program.weather
    let hasRoom = weather.cut == 0 && weather.refusal == 0 && count < 20_000
    return transport != .tls || hasRoom || farewell == .shutdown || farewell == .shutdownAndLetGo
  }

  /// Whether the stream has a way to be reset.
  var isResettable: Bool { transport == .tcp }
}

extension ProgramSide {
  /// Visits the server. It asks in the style of the step, and then reads patiently.
  func visit(
    _ step: ProgramStep, _ track: ProgramTrack, _ transport: ProgramTransport, _ count: Int,
    _ farewell: ProgramFarewell
  ) async {
    if transport == .unix || transport == .pair, !world.isOneHost { return }
    let visit = ProgramVisit(world.visits.count, count, transport, farewell)
    world.visits.append(visit)
    await ask(step, track, { [self] in request(transport) }) { [self] result in
      guard case .success(let stream)? = result else { return }
      openVisits += 1
      loop.spawn { [self] in
        await talk(visit, stream)
        openVisits -= 1
      }
    }
  }

  private func talk(_ visit: ProgramVisit, _ stream: ByteStream) async {
    var question = BytesBuilder()
    question.append(Self.visitor)
    question.append(bigEndian: UInt32(visit.number))
    stream.write(question.takeBytes()) { _ in }
    var (received, failure): ([UInt8], UVError?) = ([], nil)
    do throws(UVError) { for try await bytes in stream { received += bytes } } catch { failure = error }
    stream.close()
    if Bytes(received) != Bytes(message(visit.number, visit.count).prefix(received.count)) {
      world.complain("\(visit.text): other bytes have come")
    }
    if visit.mustBeWhole(world) {
      if let failure { world.complain("\(visit.text): \(failure)") }
      if received.count != visit.count { world.complain("\(visit.text): \(received.count) have come") }
    }
    if failure == nil, visit.farewell == .reset, visit.isResettable, visit.hasBegun {
      world.complain("\(visit.text): an end, although it was reset")
    }
    if failure == nil, visit.transport == .tls, received.count < visit.count {
      world.complain("\(visit.text): an end after \(received.count) bytes")
    }
  }

  /// Answers a visitor and ends.
  func receive(_ stream: ByteStream) async {
    guard let number = try? await stream.read(exactly: 4).value.map({ Int($0.bigEndian(UInt32.self)) }) else {
      // One that has only looked in.
      while (try? await stream.next().value) != nil {}
      stream.close()
      return
    }
    let visit = world.visits[number]
    visit.hasBegun = true
    let answer = message(visit.number, visit.count)
    let note: Completion<Void> = { [world] result in
      if visit.written != nil { world.complain("\(visit.text): written twice") }
      visit.written = result
    }
    switch visit.farewell {
    case .close:
      stream.write(answer, note)
      stream.close()
    case .closeWhenWritten:
      stream.write(answer) { result in
        note(result)
        stream.close()
      }
    case .letGo:
      stream.write([Bytes(answer.prefix(visit.count / 2)), Bytes(answer.dropFirst(visit.count / 2))], note)
    case .shutdownAndLetGo:
      stream.write(answer, note)
      stream.shutdown { _ in }
    case .shutdown:
      stream.write(answer, note)
      stream.shutdown { _ in }
      while (try? await stream.next().value) != nil {}
      stream.close()
    case .reset:
      // All has left, so that nothing but the reset is there to be seen.
      try? await stream.write(answer).value
      guard let tcp = stream as? TCPConnection else {
        stream.close()
        return
      }
      tcp.closeReset()
    }
  }
}
