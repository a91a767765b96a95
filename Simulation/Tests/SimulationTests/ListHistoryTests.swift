import Testing
import UV
import UVSimulation

@Suite struct ListHistoryTests {
  typealias History = ListHistory<Int>

  @Test("A list that does one thing after the other has no violation") func right() {
    let history = History()
    for number in 1...5 {
      history.end(history.begin(.append(number)))
      history.end(history.begin(.read), list: Array(1...number))
    }
    let unknown = history.begin(.append(6))
    let read = history.begin(.read)
    history.end(history.begin(.append(7)))
    history.end(read, list: [1, 2, 3, 4, 5])
    #expect(history.violation == nil && history.count == 13)
    history.end(history.begin(.read), list: [1, 2, 3, 4, 5, 7, 6])
    #expect(history.isLinearizable)
    _ = unknown
  }

  @Test("What can't be is reported in words") func wrong() {
    func violation(_ body: (History) -> Void) -> String? {
      let history = History()
      body(history)
      return history.violation
    }
    // Lost.
    #expect(
      violation {
        $0.end($0.begin(.append(1)))
        $0.end($0.begin(.read), list: [])
      } == "the read of [] began after the append of 1 had ended, and comes before it")
    // Lost later on.
    #expect(
      violation {
        let append = $0.begin(.append(1))
        $0.end($0.begin(.read), list: [1])
        $0.end($0.begin(.read), list: [])
        $0.end(append)
      } == "the read of [] began after the read of [1] had ended, and comes before it")
    // Two orders.
    #expect(
      violation {
        let (one, two) = ($0.begin(.append(1)), $0.begin(.append(2)))
        $0.end($0.begin(.read), list: [1, 2])
        $0.end($0.begin(.read), list: [2])
        $0.end(one)
        $0.end(two)
      } == "one read has returned [2], and another one [1, 2]: neither begins with the other")
    #expect(
      violation { $0.end($0.begin(.read), list: [9]) } == "a read has returned 9, which nobody has appended")
    #expect(
      violation {
        $0.end($0.begin(.append(1)))
        $0.end($0.begin(.read), list: [1, 1])
      } == "a read has returned 1 twice: [1, 1]")
    #expect(
      violation {
        $0.end($0.begin(.append(1)))
        $0.end($0.begin(.append(1)))
      } == "1 was appended twice")
    // Out of order in real time.
    #expect(
      violation {
        $0.end($0.begin(.append(1)))
        $0.end($0.begin(.append(2)))
        $0.end($0.begin(.read), list: [2, 1])
      } == "the append of 2 began after the append of 1 had ended, and comes before it")
  }

  /// A call of a small history, for the search below.
  struct Small {
    var operation: History.Operation
    var begin: Int
    var end: Int
    var list: [Int]
  }

  /// Tries all orders.
  static func hasOrder(_ calls: [Small]) -> Bool {
    func search(_ left: [Small], _ list: [Int]) -> Bool {
      if left.allSatisfy({ $0.end == .max }) { return true }
      let limit = left.map(\.end).min()!
      for index in left.indices where left[index].begin < limit {
        var rest = left
        let call = rest.remove(at: index)
        switch call.operation {
        case .append(let element): if search(rest, list + [element]) { return true }
        case .read: if call.list == list, search(rest, list) { return true }
        }
      }
      return false
    }
    return search(calls.filter { $0.operation != .read || $0.end != .max }, [])
  }

  @Test("It agrees with a search of all orders on random histories") func random() {
    var state: UInt64 = 1
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var counts = [0, 0]
    for _ in 0..<20_000 {
      let history = History()
      var calls: [Small] = []
      var open: [(History.Call, Int)] = []
      var clock = 0
      var list: [Int] = []
      for number in 0..<(3 + below(5)) {
        clock += 1
        let operation: History.Operation = below(2) == 0 ? .read : .append(number)
        open.append((history.begin(operation), calls.count))
        calls.append(Small(operation: operation, begin: clock, end: .max, list: []))
        while !open.isEmpty, below(2) == 0 {
          let (call, index) = open.remove(at: below(open.count))
          clock += 1
          calls[index].end = clock
          if case .append(let element) = calls[index].operation {
            list.insert(element, at: below(4) == 0 ? below(list.count + 1) : list.count)
            history.end(call)
          } else {
            var order = list
            if below(4) == 0, !order.isEmpty { order.removeLast() }
            // One whose append hasn't ended.
            if below(4) == 0, let other = open.first(where: { calls[$0.1].operation != .read }),
              case .append(let element) = calls[other.1].operation
            {
              order.append(element)
            }
            calls[index].list = order
            history.end(call, list: order)
          }
        }
      }
      let isRight = Self.hasOrder(calls)
      counts[isRight ? 1 : 0] += 1
      #expect(history.isLinearizable == isRight, "\(calls): \(history.violation ?? "")")
    }
    #expect(counts[0] > 2000 && counts[1] > 2000, "\(counts)")
  }

  /// A server that appends lines to a file and answers, and crashes now and then.
  static func log(_ seed: UInt64, syncs: Bool) throws -> String? {
    let history = History()
    try Simulation(seed: seed) { world in
      let server = world.host("server") { loop in
        let file = try await loop.files.open("/log", .readWrite, options: [.create, .append]).value
        // The last line may have been torn.
        let old = try await loop.files.readFile("/log").value
        try await file.truncate(to: Int64((old.lastIndex(of: 10) ?? -1) + 1)).value
        let directory = try await loop.files.open("/").value
        try await directory.sync().value
        for try await connection in try loop.tcp.listen(port: 7) {
          do {
            while let line = try await connection.readLine(limit: 100).value {
              if line.isEmpty {
                try await connection.write(try await loop.files.readFile("/log").value).value
                break
              }
              try await file.write(Bytes(Array(line) + [10])).value
              if syncs { try await file.dataSync().value }
              try await connection.write(Bytes("done".utf8)).value
            }
          } catch {}
          connection.close()
        }
      }
      for client in 0..<2 {
        world.client("client \(client)") { loop in
          for round in 0..<20 {
            let number = client * 1000 + round
            let call = history.begin(round % 3 == 2 ? .read : .append(number))
            do throws(UVError) {
              let connection = try await loop.tcp.connect(host: "server", port: 7).timeout(after: .seconds(3))
                .value
              if round % 3 == 2 {
                try await connection.write(Bytes("\n".utf8)).value
                var text = Bytes()
                for try await bytes in connection { text = Bytes(Array(text) + Array(bytes)) }
                history.end(
                  call,
                  list: text.split(separator: 10).compactMap { Int(String(decoding: $0, as: UTF8.self)) })
              } else {
                try await connection.write(Bytes("\(number)\n".utf8)).value
                if try await connection.read(exactly: 4).timeout(after: .seconds(3)).value != nil {
                  history.end(call)
                }
              }
              connection.close()
            } catch {}
            try await loop.sleep(for: .milliseconds(200)).value
          }
        }
      }
      for _ in 0..<3 {
        try world.sleep(for: .seconds(1))
        world.bounce(server)
      }
    }
    return history.violation
  }

  @Test("A log that answers before it syncs is found, and one that syncs isn't") func syncs() throws {
    let found = try (1...20 as ClosedRange<UInt64>).compactMap { try Self.log($0, syncs: false) }
    #expect(!found.isEmpty)
    for seed in 1...40 as ClosedRange<UInt64> { #expect(try Self.log(seed, syncs: true) == nil) }
  }
}
