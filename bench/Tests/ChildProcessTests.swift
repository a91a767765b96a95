import Testing

@testable import BenchHarness

@Suite struct ChildProcessTests {
  @Test func linesGoThereAndBack() throws {
    let child = try ChildProcess(["/bin/cat"])
    try child.write("one")
    try child.write("two")
    #expect(try child.readLine(within: 10) == "one")
    #expect(try child.readLine(within: 10) == "two")
    child.finish()
    child.finish()
  }

  @Test func theLastLineIsPassedOnAlsoWithoutAnEnd() throws {
    let child = try ChildProcess(["/bin/sh", "-c", "echo one; printf two; exit 3"])
    var lines: [String] = []
    let code = try child.drain { lines.append($0) }
    #expect(code == 3)
    #expect(lines == ["one", "two"])
  }

  @Test func theEnvironmentIsAddedTo() throws {
    let child = try ChildProcess(
      ["/bin/sh", "-c", "echo $ADDED ${PATH:+path}"], environment: ["ADDED": "yes"])
    #expect(try child.readLine(within: 10) == "yes path")
  }

  @Test func anEndIsToldInWords() throws {
    let child = try ChildProcess(["/bin/sh", "-c", "exit 7"])
    let failure = #expect(throws: WorkerFailure.self) { try child.readLine(within: 10) }
    #expect(failure?.description == "the process ended with code 7")
  }

  @Test func aSignalIsToldInWords() throws {
    let child = try ChildProcess(["/bin/sh", "-c", "kill -9 $$"])
    let failure = #expect(throws: WorkerFailure.self) { try child.readLine(within: 10) }
    #expect(failure?.description == "the process was killed by signal 9")
  }

  @Test func aChildThatClosesItsOutputAndGoesOnIsNotSaidToHaveBeenKilled() throws {
    let child = try ChildProcess(
      ["/bin/sh", "-c", "exec >&-; while :; do :; done"], patience: 0.1)
    let failure = #expect(throws: WorkerFailure.self) { try child.readLine(within: 10) }
    #expect(failure?.description == "the process closed its output and went on, so it was ended")
    #expect(!Self.exists(child.id))
  }

  @Test func aChildIsAskedToEndBeforeItIsMadeTo() throws {
    try Products.withDirectory { directory in
      let child = try ChildProcess(
        ["/bin/bash", "-c", "trap 'echo asked > \(directory)/word; exit' TERM; echo; while :; do :; done"])
      #expect(try child.readLine(within: 10) == "")
      child.kill()
      #expect(FileManager.default.fileExists(atPath: directory + "/word"))
    }
  }

  @Test func aChildThatIsDeafIsMadeToEnd() throws {
    let child = try ChildProcess(
      ["/bin/bash", "-c", "trap '' TERM; echo; while :; do :; done"], patience: 0.1)
    #expect(try child.readLine(within: 10) == "")
    child.kill()
    #expect(!Self.exists(child.id))
  }

  private static func exists(_ id: pid_t) -> Bool { kill(id, 0) == 0 }

  @Test func whatCannotBeStartedIsAnError() {
    #expect(throws: WorkerFailure.self) { try ChildProcess(["/nonexistent/program"]) }
  }

  @Test func aWorkerThatGreetsWrongIsRefused() {
    #expect(throws: WorkerFailure.self) { try WorkerProcess(command: ["/bin/echo", "hello"]) }
  }

  @Test func filesAreWrittenWholeOrNotAtAll() throws {
    #expect(throws: UsageError.self) { try AtomicFile.write("x", to: "/nonexistent/file") }
    #expect(throws: UsageError.self) { try AtomicFile.checkWritable("/nonexistent/file") }
    #expect(throws: UsageError.self) { try AtomicFile.checkWritable("/") }
  }
}
