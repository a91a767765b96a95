import Testing
import UV
import UVSimulation

/// The log of the example `AppendLog`, on a disk that loses what wasn't synchronized.
@Suite struct AppendLogTests {
  private static func record(_ number: Int) -> Bytes {
    Bytes("\(number) " + String(repeating: "x", count: number * 37 % 3000))
  }

  @Test(
    "What was answered is there after each loss of power, in order, and nothing else but what was appended",
    arguments: 1...40 as ClosedRange<UInt64>)
  func crashes(seed: UInt64) throws {
    /// How many were answered, and after which starts something was cut.
    let (answered, cuts) = (Log<Int>(), Log<Int>())
    try Simulation(seed: seed) { world in
      let host = world.host("a") { loop in
        let (log, records, cutCount) = try await AppendLog.open("/tmp/log", on: loop)
        let least = (answered.values.max() ?? -1) + 1
        #expect(records.count >= least, "\(least) were answered")
        #expect(records == records.indices.map(Self.record))
        if cutCount > 0 { cuts.append(cutCount) }
        var number = records.count
        while true {
          for _ in 0..<(1 + number % 7) {
            let this = number
            log.append(Self.record(this)) { if case .success = $0 { answered.append(this) } }
            number += 1
          }
          try await loop.sleep(for: .microseconds(200)).value
        }
      }
      for round in 0..<5 {
        try world.sleep(for: .microseconds(20_000 + Int64(seed) * 137 + Int64(round) * 3001))
        world.bounce(host)
      }
      try world.sleep(for: .milliseconds(50))
      world.crash(host)
    }
    #expect(answered.values.count > 50)
    #expect(answered.values == answered.values.sorted())
  }

  @Test("Many appends share a synchronization") func groups() throws {
    let run = try Simulation(seed: 1, traceLength: 1 << 14) { world in
      world.client("a") { loop in
        let (log, _, _) = try await AppendLog.open("/tmp/log", on: loop)
        try await loop.withTasks { tasks in
          for number in 0..<1000 { tasks.spawn { try await log.append(Self.record(number)).value } }
        }
        try await log.close().value
      }
    }
    // The directory's, the file's at opening, and one or two for all appends.
    let syncs = run.trace.filter { $0.call == "sync" || $0.call == "fsync" || $0.call == "fdatasync" }
    #expect(3...4 ~= syncs.count, "\(syncs.count)")
  }

  @Test("A log that was cut at any byte, or damaged at any, has the records before") func torn() throws {
    try Simulation(seed: 1) { world in
      world.client("a") { loop in
        let (log, _, _) = try await AppendLog.open("/tmp/log", on: loop)
        let records = ["one", "", "three"] as [Bytes]
        for record in records { try await log.append(record).value }
        try await log.close().value
        let bytes = try await loop.files.readFile("/tmp/log").value
        let ends = [11, 19, 32]
        #expect(bytes.count == 32)
        for count in 0..<bytes.count {
          for isDamaged in [false, true] {
            var contents = isDamaged ? Array(bytes) : Array(bytes[..<count])
            if isDamaged { contents[count] ^= 0x10 }
            try await loop.files.writeFile("/tmp/log", Bytes(contents)).value
            let (log, found, cutCount) = try await AppendLog.open("/tmp/log", on: loop)
            let whole = ends.prefix { $0 <= count }
            #expect(found == Array(records.prefix(whole.count)))
            #expect(cutCount == contents.count - (whole.last ?? 0))
            try await log.append("more").value
            try await log.close().value
            let again = try await AppendLog.open("/tmp/log", on: loop)
            #expect(again.records == found + ["more"] && again.cutCount == 0)
            try await again.log.close().value
          }
        }
      }
    }
  }

  @Test(
    "After a failure of the disk each append fails, and what was answered is there",
    arguments: ["write", "sync"])
  func failures(call: String) throws {
    try Simulation(seed: 1) { world in
      let host = world.client("a") { loop in
        let (log, _, _) = try await AppendLog.open("/tmp/log", on: loop)
        try await log.append("one").value
        try await loop.sleep(for: .seconds(10)).value
        for _ in 0..<3 {
          do throws(UVError) {
            try await log.append("two").value
            Issue.record("appended")
          } catch { #expect(error.code == .noSpace) }
        }
        try await log.close().value
        let again = try await AppendLog.open("/tmp/log", on: loop)
        #expect(again.records.first == "one" && again.records.count <= 2)
        try await again.log.append("three").value
        try await again.log.close().value
      }
      try world.sleep(for: .seconds(5))
      world.fail(call, of: host, with: .noSpace)
    }
  }
}
