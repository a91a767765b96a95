import RandomPrograms
import Testing
import UVSimulation

@Suite struct ProgramTests {
  @Test("Random programs end as their model says", arguments: 0..<4)
  func programs(part: UInt64) {
    for seed in (part * 50 + 1)...(part * 50 + 50) {
      #expect(RandomProgram(seed: seed).failure == nil, "seed \(seed)")
    }
  }

  @Test("A seed draws the same program each time, and its run has the same digest")
  func repetition() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let (one, other) = (RandomProgram(seed: seed), RandomProgram(seed: seed))
      #expect(one == other && one.code == other.code)
      #expect(try one.run().digest == other.run().digest, "seed \(seed)")
    }
  }

  @Test("A program that fails is made smaller until each step that is left matters")
  func shrinking() throws {
    func failure(_ program: RandomProgram) -> String? {
      var hasWritten = false
      for step in program.steps {
        if case .write = step.action { hasWritten = true }
        if hasWritten, case .drain = step.action, step.end == .cancelNextTurn {
          return "a drain after a write"
        }
      }
      return nil
    }
    var steps = RandomProgram(seed: 3).steps
    steps.insert(ProgramStep(2, .write(0, 100, parts: 3), .promise, .timeout(3)), at: steps.count / 2)
    steps.append(ProgramStep(4, .drain(0), .task, .cancelNextTurn, waits: true))
    let program = RandomProgram(seed: 3, weather: .storm, streams: [.tls, .unix], files: 2, steps: steps)
    let small = program.shrunk(failure)
    #expect(small.streams.isEmpty && small.files == 0 && small.weather == .calm)
    try #require(small.steps.count == 2)
    #expect(small.steps[1] == ProgramStep(0, .drain(0), .callback, .cancelNextTurn))
  }

  @Test("The code that is printed is the program")
  func code() throws {
    let program = RandomProgram(
      seed: 7, streams: [.tcp], files: 1,
      steps: [
        .init(0, .write(0, 3000, parts: 2)), .init(1, .read(0, 3012), .task, .cancel(after: 20), waits: true),
        .init(0, .connect(.tls), .publisher),
      ])
    try program.run()
    #expect(
      program.code == """
        try RandomProgram(
          seed: 7, weather: .calm, streams: [.tcp], files: 1,
          steps: [
            .init(0, .write(0, 3000, parts: 2)),
            .init(1, .read(0, 3012), .task, .cancel(after: 20), waits: true),
            .init(0, .connect(.tls), .publisher),
          ]
        ).run()
        """)
  }
}
