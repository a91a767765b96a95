#if Everything
import Testing
import UV
import UVTestSupport

/// What a group and a program give is a request, in every style.
@Suite struct LimitedTaskStyleTests {
  @Test("The value of the task that ends next is asked for in every style", arguments: Style.allCases)
  func values(style: Style) async throws {
    try await withLoop { loop in
      let log = Log<Int?>()
      try await loop.withTasks(of: Int.self, limit: 1) { tasks in
        for number in 1...2 {
          try await tasks.spawn {
            try await loop.settle()
            return number
          }
        }
        for _ in 0..<3 { try await loop.expectEnd(nil, style, tasks.next().map { log.append($0) }) }
      }
      #expect(log.values == [1, 2, nil])
    }
  }

  @Test(
    "A program is run to its end, and killed when its caller goes, in every style", arguments: Style.allCases)
  func programs(style: Style) async throws {
    try await withLoop { loop in
      try await loop.expectEnd(
        nil, style,
        loop.processes.run("cat", input: "text").map { #expect($0.standardOutput == "text") })
      try await loop.expectEnd(.noSuchFile, style, loop.processes.run("/no/such/program"))
      try await loop.expectEnd(.messageTooLong, style, loop.processes.run("yes", outputLimit: 10))
      let log = Log<UVError.Code?>()
      let cancel = style.start(loop.processes.run("sleep", ["1000"]), on: loop, log)
      try await loop.settle()
      cancel()
      try await loop.settle { loop.statistics.handles == 0 }
      // A subscriber that goes is not notified.
      #expect(log.values == (style == .publisher || style == .future ? [] : [.cancelled]))
    }
  }
}
#endif
