import BenchKit
import Testing

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
