import BenchKit
import Testing

/// What cannot be measured is refused in a line that says what can be, before a worker starts.
@Suite struct RefusalTests {
  @Test(arguments: [
    ("run -w tcp-echo --connections 0", "--connections: 0 is not in 1…65535"),
    ("run -w tcp-echo --connections 65536", "--connections: 65536 is not in 1…65535"),
    ("run -w tcp-accept --in-flight 0", "--in-flight: 0 is not in 1…65535"),
    ("run -w fs-stat --in-flight 0", "--in-flight: 0 is not in 1…65535"),
    ("run -w tcp-stream --size 99999999999", "--size: 99999999999 is not in 1…67108864"),
    ("run -w tcp-echo --size 0", "--size: 0 is not in 1…67108864"),
    ("run -w million-timers --timers 0", "--timers: 0 is not in 1…10000000"),
    ("run -w wakeup --cores 3", "--cores: 3 is not in 1…2"),
    ("run -w tcp-ping-pong --cores 0", "--cores: 0 is not in 1…2"),
    ("gate --base-bin $UVBENCH -w tcp-echo --connections 0", "--connections: 0 is not in 1…65535"),
    ("gate --counts -w tcp-echo -p size=0", "--size: 0 is not in 1…67108864"),
    ("scale --style nosuch", "there are callback, promise, future, async"),
    ("check -w nosuch", "there are tcp-ping-pong, tcp-echo"),
    ("doctor -w nosuch", "there are million-timers, "),
    ("frobnicate", "there is no command `frobnicate`; there are run, targets, "),
  ])
  func valuesThatCannotBeMeasured(command: String, text: String) throws {
    let output = try Products.shell("$UVBENCH \(command)")
    #expect(output.code == 2 && output.text.contains(text), "\(command): \(output.text)")
    // Nothing was measured before.
    #expect(output.lines.count == 1, "\(command): \(output.text)")
  }

  @Test func aWorkloadOfOnesOwnIsGivenWhatItTakes() throws {
    let output = try Products.shell("$EXAMPLE run --size 0")
    #expect(output.code == 2 && output.text.contains("--size: 0 is not in 1…1000000000"), "\(output.text)")
  }

  @Test(arguments: ["run -w tcp-echo --connections 200", "run -w fs-read --in-flight 200"])
  func whatTheLimitOfDescriptorsLeavesNoRoomFor(command: String) throws {
    let output = try Products.shell("ulimit -n 100; $UVBENCH \(command)")
    let text = "200 are too many: RLIMIT_NOFILE is 100, so there can be 36"
    #expect(output.code == 2 && output.text.contains(text), "\(output.text)")
  }

  @Test func aWorkerRefusesThemToo() throws {
    let output = try Products.shell("echo 'run tcp-echo@1/c?connections=0&size=64 10 1' | $UVBENCH worker")
    #expect(output.code == 0 && output.text.contains("--connections: 0 is not in"), "\(output.text)")
  }

  @Test func theEndsOfTheRangesCanBeMeasured() throws {
    let short = "run --quick --rounds 1 --duration 0.01 -s c -s callback"
    for row in [
      "-w sleep-chain --milliseconds 0", "-w fs-stat --size 0", "-w 'fs-read*' --size 1",
      "-w 'tcp-*' --size 1",
    ] {
      let output = try Products.shell("$UVBENCH \(short) \(row)")
      #expect(output.code == 0, "\(row): \(output.text)")
    }
  }

  @Test(arguments: ["/bin/true", "/bin/echo"])
  func aBaseThatIsNoBenchmarkProgramIsAMistake(base: String) throws {
    let output = try Products.shell("$UVBENCH gate --base-bin \(base) -w then-chain -s c")
    #expect(output.code == 2, "\(output.text)")
    #expect(output.text.contains("\(base) did not greet as a worker does"), "\(output.text)")
  }

  /// Whether an own parameter has a range is up to its author.
  @Test func aParameterTakesWhatIsNotNegativeUnlessItSaysOtherwise() throws {
    #expect(Parameter("a", 1, help: "").range == 0...Int.max)
    #expect(Parameter("a", 1, in: 1...2, help: "").range == 1...2)
  }
}
