import SimulatedWorlds
import UV
import UVSimulation
import WorldSupport

/// Datagrams between two sockets of a loop: some before the step's, which may be given up, and some behind. Those before and
/// behind come. Of the step's come the first ones, and all if they are reported as sent. Each comes once, whole and in order.
final class ProgramDatagrams {
  private let step: ProgramStep
  private let side: ProgramSide
  private let here: UDPSocket, there: UDPSocket
  private let address: SocketAddress
  private let size: Int
  private var lastSent = 0
  private var seen: [Int] = []
  /// Those that must come.
  private var sure: Set<Int> = []
  private var lastAnswered = 0
  private var receiving: LoopTask<Void, Never>?

  init(_ step: ProgramStep, _ side: ProgramSide, _ size: Int) throws(UVError) {
    (self.step, self.side, self.size) = (step, side, size)
    here = try side.loop.udp.bind(host: "127.0.0.1", port: 0)
    there = try side.loop.udp.bind(host: "127.0.0.1", port: 0)
    address = try there.localAddress()
  }

  private var isExact: Bool {
    side.world.program.weather.loss == 0 && side.world.program.weather.duplication == 0
  }

  private func make(_ count: Int) -> (numbers: ClosedRange<Int>, datagrams: [Datagram]) {
    let first = lastSent + 1
    lastSent += count
    return (
      first...lastSent,
      (first...lastSent).map { number in
        var bytes = BytesBuilder()
        bytes.append(bigEndian: UInt32(number))
        bytes.append(message(number, size))
        return Datagram(bytes.takeBytes(), to: address)
      }
    )
  }

  /// Sends some that nobody gives up.
  private func sendSurely(_ count: Int) {
    for _ in 0..<count {
      let (numbers, datagrams) = make(1)
      here.send(datagrams[0].bytes, to: address) { [self] in answered(numbers, $0) }
    }
  }

  private func answered(_ numbers: ClosedRange<Int>, _ result: Result<Void, UVError>?) {
    switch result {
    case .success?:
      sure.formUnion(numbers)
      if numbers.lowerBound <= lastAnswered {
        side.world.complain("\(step): \(numbers) are answered too late")
      }
      lastAnswered = numbers.upperBound
    case .failure(let error)?: side.world.complain("\(step): \(numbers): \(error)")
    case nil: break
    }
  }

  private func receive() {
    // By a handler, or by reads that are given up now and then.
    if size % 2 == 0 {
      return there.start { [self] in if case .success(let datagram?) = $0 { take(datagram) } }
    }
    let loop = side.loop
    receiving = loop.spawn { [self] in
      var round = 0
      while !there.isClosing {
        round += 1
        let patience = Duration.milliseconds(round % 3 == 0 ? 1 : 10_000)
        do throws(UVError) {
          guard let datagram = try await there.next().timeout(after: patience).value else { return }
          take(datagram)
        } catch { if error.code != .timedOut { return } }
      }
    }
  }

  private func take(_ datagram: Datagram) {
    let bytes = datagram.bytes
    guard bytes.count == size + 4 else { return side.world.complain("\(step): \(bytes.count) bytes") }
    let number = Int(bytes.bigEndian(UInt32.self))
    if Bytes(bytes.dropFirst(4)) != message(number, size) { side.world.complain("\(step): other bytes") }
    if isExact, let last = seen.last, number <= last {
      side.world.complain("\(step): \(number) after \(last)")
    }
    seen.append(number)
  }

  func run(_ track: ProgramTrack, _ count: Int) async {
    receive()
    var numbers = 1...count
    let loop = side.loop
    // They get their numbers when they are sent.
    func send(_ done: @escaping Completion<Void>) -> PendingRequest {
      sendSurely(count % 3)
      let made = make(count)
      numbers = made.numbers
      let pending = here.send(made.datagrams, done)
      sendSurely(count % 4)
      return pending
    }
    await side.ask(step, track, callback: send, { Request(loop, send) }) { [self] result in
      if case .success? = result {
        sure.formUnion(numbers)
      }
      loop.spawn { [self] in
        let begin = loop.clock.now
        // In the simulation nothing of it takes time on one host; a machine may be busy.
        repeat {
          try? await loop.sleep(for: .seconds(1)).value
        } while !sure.isSubset(of: seen)
          && begin.duration(to: loop.clock.now) < side.slack
        check(numbers)
      }
    }
  }

  private func check(_ numbers: ClosedRange<Int>) {
    let missing = sure.subtracting(seen)
    if isExact, !missing.isEmpty { side.world.complain("\(step): \(missing.sorted()) haven't come") }
    let own = seen.filter(numbers.contains)
    if isExact, own != Array(numbers.prefix(own.count)) {
      side.world.complain("\(step): \(own) of \(numbers)")
    }
    if here.sendQueueSize != 0 || here.sendQueueCount != 0 {
      side.world.complain("\(step): \(here.sendQueueCount) wait to be sent")
    }
    here.close()
    there.close()
  }
}
