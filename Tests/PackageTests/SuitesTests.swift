import Foundation
import Testing

/// `Tests/run`, the front door of all tests, with suites that take no time.
@Suite struct SuitesTests {
  @Test func `Each suite says in its head what it tests and how long that takes`() throws {
    let list = try runProgram(Checkout.root.appendingPathComponent("Tests/run"), ["--list"])
    let lines = list.output.split(separator: "\n")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.root.appendingPathComponent("Tests/Suites").path)
    #expect(lines.count == files.count - 1, "all but the folder of what they share")
    for line in lines { #expect(line.contains(/^[\w-]+ +[1-9]\d* min  \S.*\.$/), "\(line)") }
  }

  @Test func `Everything goes on where it stopped, runs failed suites again, and writes a table`() throws {
    let door = try Door(["good": "exit 0", "bad": "exit 1", "lacking": "echo there is none; exit 4"])
    let first = try door.run("--everything")
    #expect(first.status == 1)
    #expect(try door.log() == ["bad", "good", "lacking"])
    let commit = try door.commit()
    for row in ["good | \(commit) | passed", "bad | \(commit) | failed (exit code 1)"] {
      #expect(first.output.contains("| \(row) | "), "\(first.output)")
    }
    #expect(first.output.contains("| lacking | \(commit) | not available here | "))
    #expect(first.output.contains("there is none"))

    try door.write("bad", "exit 0")
    // Another content is another version: all are run.
    let second = try door.run("--everything")
    #expect(second.status == 4, "nothing failed, and one isn't available")
    #expect(try door.log().count == 6)
    #expect(try door.run("--everything").status == 4)
    #expect(try door.log().suffix(1) == ["lacking"], "what has passed isn't run again")
    #expect(try door.log().count == 7)
    #expect(try door.run("--everything", "--again").status == 4)
    #expect(try door.log().count == 10)
    #expect(try door.run("--table").output.contains("| bad | \(commit)+"))
  }

  @Test func `Parts of everything are all of it, each suite once, and take about as long`() throws {
    let door = try Door(["a": ":", "b": ":", "c": ":", "d": ":", "e": ":"])
    var counts: [Int] = []
    for part in 1...2 {
      #expect(try door.run("--everything", "--part", "\(part)/2", "--again").status == 0)
      counts.append(try door.log().count)
    }
    #expect(try door.log().sorted() == ["a", "b", "c", "d", "e"])
    #expect(counts == [3, 5])
    for wrong in ["3/2", "0/2", "2", "a/b", ""] {
      #expect(try door.run("--everything", "--part", wrong).status == 2, "\(wrong)")
    }
  }

  @Test("Some are run by name, one with arguments; a failure counts more than what isn't available")
  func some() throws {
    let door = try Door([
      "good": "echo got $*", "bad": "exit 1", "lacking": "exit 4", "unit": "echo unit $*", "style": ":",
      "examples": "exit 0", "benchmark": "exit 0",
    ])
    #expect(try door.run("good").status == 0)
    #expect(try door.run("good", "a", "b").output == "got a b\n")
    #expect(try door.run("good", "lacking").status == 4)
    #expect(try door.run("lacking", "bad", "good").status == 1)
    #expect(try door.run("--filter", "UVTests").output == "unit --filter UVTests\n")
    #expect(try door.run().status == 0)
    #expect(try door.log().suffix(4).sorted() == ["benchmark", "examples", "style", "unit"])
    #expect(try door.log().last == "benchmark", "it judges times, and so runs alone")
    try door.write("style", "echo found nothing; exit 1")
    try door.write("benchmark", "echo measured")
    let failed = try door.run()
    #expect(failed.status == 1 && failed.output.contains("Tests/run: style: failed (exit code 1)"))
    let later = try #require(failed.output.range(of: "measured"))
    #expect(failed.output[later.upperBound...].contains("Tests/run: style failed; all of its output: "))
    #expect(try door.log().suffix(4).sorted() == ["benchmark", "examples", "style", "unit"])
    #expect(try door.log().last == "benchmark")
    try door.write("style", "exit 4")
    #expect(try door.run().status == 4)
    try door.write("benchmark", "exit 1")
    #expect(try door.run().status == 1)
  }

  @Test func `An unknown name is reported, with the names that are like it`() throws {
    let door = try Door(["consumers": "exit 0", "counts": "exit 0", "hosts": "exit 0"])
    let found = try door.run("consumer")
    #expect(found.status == 2)
    #expect(
      found.output.contains("there is no suite 'consumer'\n  Is one of these meant? consumers counts\n"))
    #expect(try door.run("nonsense").output.contains("All: consumers counts hosts"))
    #expect(try door.run("hosts", "counts", "nonsense").status == 2)
    #expect(try door.run("--everything", "nonsense").status == 2)
    #expect(try door.log() == [])
  }
}

/// A folder with a copy of `Tests/run`, and suites of one line.
private final class Door {
  let directory: URL

  init(_ suites: [String: String]) throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "swift-uv-door-\(UUID().uuidString)")
    for folder in ["Tests/Suites/Parts", "bench"] {
      try FileManager.default.createDirectory(
        at: directory.appendingPathComponent(folder), withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(
      at: Checkout.root.appendingPathComponent("Tests/run"), to: directory.appendingPathComponent("Tests/run")
    )
    try script("bench/setup", "exit 0")
    for (name, line) in suites { try write(name, line) }
    _ = try shell("printf '.build\\n/log\\n' >.gitignore; git init -q")
    _ = try shell("git add -A; git -c user.name=t -c user.email=t@example.com commit -q -m test")
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func write(_ suite: String, _ line: String) throws {
    try script("Tests/Suites/\(suite)", "# A trial.\n# Takes: 1 min\necho \(suite) >>log\n\(line)")
  }

  func run(_ arguments: String...) throws -> (output: String, status: Int32) {
    try runProgram(directory.appendingPathComponent("Tests/run"), arguments)
  }

  /// The suites that were run, in order.
  func log() throws -> [String] {
    try shell("cat log 2>/dev/null || true").output.split(separator: "\n").map(String.init)
  }

  func commit() throws -> String { try shell("git rev-parse --short=10 HEAD").output.filter { $0 != "\n" } }

  private func script(_ path: String, _ text: String) throws {
    let file = directory.appendingPathComponent(path)
    try "#!/bin/bash\n\(text)\n".write(to: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
  }

  private func shell(_ text: String) throws -> (output: String, status: Int32) {
    try runProgram(URL(fileURLWithPath: "/bin/sh"), ["-c", text], in: directory)
  }
}
