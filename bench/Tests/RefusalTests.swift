import Testing

@testable import BenchHarness

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
    ("run --scale --style nosuch", "there are callback, promise, future, async"),
    ("doctor --check stalls -w nosuch", "there are tcp-ping-pong, tcp-echo"),
    ("doctor -w nosuch", "there are million-timers, "),
    ("profile -w 'tcp-*'", "profile takes one row, and "),
    ("profile -w fs-stat -s c -p in-flight=1", "fs-stat works on several threads"),
    ("frobnicate", "there is no command `frobnicate`; there are run, peers, compare, "),
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

  /// Whether a parameter of one's own has a range is up to its author.
  @Test func aParameterTakesAnythingUnlessItSaysOtherwise() throws {
    #expect(Parameter("a", 1, help: "").range == Int.min...Int.max)
    #expect(Parameter("a", 1, in: 1...2, help: "").range == 1...2)
  }
}

/// What the program says of itself.
@Suite struct HelpTests {
  /// The tool wraps help at the width of the terminal: what is wrapped already must be narrower.
  @Test(arguments: [
    "", "run", "peers", "compare", "report", "gate", "gate selftest", "doctor", "worker", "soak",
  ])
  func noLineOfAnExplanationIsWiderThanATerminal(command: String) throws {
    let help = try Products.shell("COLUMNS=200 $UVBENCH \(command) --help")
    #expect(help.code == 0 && !help.lines.isEmpty, "\(help.text)")
    let explanation = help.lines.dropFirst().prefix { !$0.hasPrefix("USAGE:") }
    for line in explanation { #expect(line.count <= 78, "\(command): \(line)") }
  }

  @Test func aLongRunTellsHowFarItHasComeAndAShortOneDoesNot() throws {
    let short = try Products.shell("$EXAMPLE run -p size=16 --rounds 1 --duration 0.01 2>&1 > /dev/null")
    #expect(short.code == 0 && short.lines.isEmpty, "\(short.text)")
    let long = try Products.shell(
      "$EXAMPLE run -p size=16,32,64 --rounds 30 --duration 3 --time-budget 9 2>&1 > /dev/null")
    #expect(long.code == 0 && (1...3).contains(long.lines.count), "\(long.text)")
    for line in long.lines { #expect(line.contains("%  hashing size="), "\(long.text)") }
    #expect(long.lines.last?.hasSuffix(" s left") == true, "\(long.text)")
    #expect(Set(long.lines).count == long.lines.count, "\(long.text)")
  }

  @Test func aWorkloadWithANoteShowsItBelowItsTable() throws {
    let output = try Products.shell("$UVBENCH run -w sleep-chain -s c --rounds 1 --duration 0.01 --quick")
    #expect(output.code == 0 && output.text.contains("  note: a sleep in C may end"), "\(output.text)")
  }
}
