import Testing
import UV
import UVSimulation

@Suite struct HistoryTests {
  @Test(
    "A read that overlaps a write may find the old value or the new one; one that follows must find the new one"
  )
  func rules() {
    func history(_ read: Int, overlaps: Bool) -> RegisterHistory<Int> {
      let history = RegisterHistory(initial: 0)
      let write = history.begin(.write(1))
      if !overlaps { history.end(write) }
      let reading = history.begin(.read)
      history.end(reading, value: read)
      if overlaps { history.end(write) }
      return history
    }
    #expect(history(0, overlaps: true).isLinearizable && history(1, overlaps: true).isLinearizable)
    #expect(history(1, overlaps: false).isLinearizable && !history(0, overlaps: false).isLinearizable)
    #expect(!history(2, overlaps: true).isLinearizable)
  }

  @Test("A write without an answer may have been done, or not; but not both") func unanswered() {
    let history = RegisterHistory(initial: 0)
    _ = history.begin(.write(1))
    for value in [0, 1, 1] { history.end(history.begin(.read), value: value) }
    #expect(history.isLinearizable)
    history.end(history.begin(.read), value: 0)
    #expect(!history.isLinearizable)
  }

  /// A register on a server, and clients that read and write. The faulty server answers reads from a copy
  /// that is a second old.
  static func run(_ seed: UInt64, isFaulty: Bool) throws -> RegisterHistory<Int> {
    let history = RegisterHistory(initial: 0)
    try Simulation(seed: seed, weather: .usual) { world in
      world.host("server") { loop in
        var (value, copy) = (0, 0)
        _ = loop.spawn { for try await _ in loop.ticks(every: .seconds(1)) { copy = value } }
        for try await connection in try loop.tcp.listen(port: 7) {
          _ = loop.spawn {
            do {
              while let request = try await connection.read(exactly: 2).value {
                if request[request.startIndex] == 1 { value = Int(request[request.startIndex + 1]) }
                try await connection.write(Bytes([UInt8(isFaulty ? copy : value)])).value
              }
            } catch {}
          }
        }
      }
      for client in 1...3 {
        world.client("client \(client)") { loop in
          let connection = try await loop.tcp.connect(host: "server", port: 7).value
          for round in 1...6 {
            let isWrite = Int.random(in: 0..<3) == 0
            let value = client * 20 + round
            let call = history.begin(isWrite ? .write(value) : .read)
            try await connection.write(Bytes([isWrite ? 1 : 0, UInt8(value)])).value
            let answer = try await connection.read(exactly: 1).value
            history.end(call, value: isWrite ? nil : answer.map { Int($0[$0.startIndex]) })
          }
          connection.close()
        }
      }
    }
    return history
  }

  @Test(
    "A register on a server is linearizable, and one that answers from an old copy isn't",
    arguments: 1...10 as ClosedRange<UInt64>)
  func register(seed: UInt64) throws {
    #expect(try Self.run(seed, isFaulty: false).isLinearizable)
    #expect(try !Self.run(seed, isFaulty: true).isLinearizable)
  }
}
