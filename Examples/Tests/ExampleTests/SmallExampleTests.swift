import Foundation
import Testing

/// The examples, run as a reader would run them.
@Suite struct SmallExampleTests {
  @Test func fourStyles() throws {
    let file = Checkout.root.appendingPathComponent("LICENSE")
    let size = try Data(contentsOf: file).count
    let (output, status) = try runProgram(Checkout.program("FourStyles"), [file.path])
    #expect(status == 0)
    #expect(
      output == ["callback", "promise", "publisher", "async/await"].map { "\($0): \(size) bytes\n" }.joined())
  }

  @Test func theReadmeShowsWhatTheExampleDoes() throws {
    let source = try String(
      contentsOf: Checkout.root.appendingPathComponent("Examples/Sources/FourStyles/main.swift"),
      encoding: .utf8)
    let readme = try String(contentsOf: Checkout.root.appendingPathComponent("README.md"), encoding: .utf8)
    let parts = source.components(separatedBy: "// README: ").dropFirst()
      .filter { !$0.hasPrefix("end") }
    #expect(parts.count == 4)
    for part in parts {
      let lines = part.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast()
      let code = lines.map { $0.dropFirst(2) }.joined(separator: "\n")
      #expect(readme.contains(code), "the README lacks:\n\(code)")
    }
  }

  @Test func theMainActorRunsInsideALoopOnTheMainThread() throws {
    let (output, status) = try runProgram(Checkout.program("MainActorInLoop"))
    #expect(status == 0)
    #expect(output == "the model has 3 names\n")
  }

  @Test func aSourceOfOnesOwn() throws {
    let (output, status) = try runProgram(Checkout.program("Lines"))
    #expect(status == 0)
    #expect(
      output == """
        async/await: one
        async/await: two
        async/await: three
        callback: four
        callback: five
        callback: six
        callback: the end

        """)
  }

  @Test func connectionsArePassedToOtherProcesses() throws {
    let (output, status) = try runProgram(Checkout.program("Workers"))
    #expect(status == 0)
    let served = [0, 1, 0, 1].map { "served by worker \($0)\n" }
    #expect(output == served.joined() + "a worker has ended\na worker has ended\n")
  }

  @Test func aHostLendsItsLoop() throws {
    let (output, status) = try runProgram(Checkout.program("InsideHost"))
    #expect(status == 0)
    #expect(
      output == """
        plugin: listening
        plugin: operation canceled
        plugin: has left
        host: closed

        """)
  }

  @Test(
    "The larger examples say how to use them",
    arguments: ["Chat", "FileServer", "Proxy", "RedisServer", "Supervisor", "Tail"])
  func help(example: String) throws {
    let (output, status) = try runProgram(Checkout.program(example), ["--help"])
    #expect(status == 0)
    // A command's name is that of its type, with hyphens.
    let name = example.replacing(/([a-z])([A-Z])/) { "\($0.1)-\($0.2)" }.lowercased()
    #expect(output.contains("USAGE: \(name)"))
    // The code for wrong usage, as of sysexits.h.
    #expect(try runProgram(Checkout.program(example), ["--nonsense"]).status == 64)
  }

  @Test func echoServer() throws {
    let process = Process()
    process.executableURL = try Checkout.program("EchoServer")
    process.arguments = ["0", "1"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    let port = try #require(line.split(separator: ":").last.flatMap { Int($0.dropLast()) })
    let client = try runProgram(
      URL(fileURLWithPath: "/bin/bash"),
      ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); echo hello >&3; head -n 1 <&3"])
    #expect(client.output == "hello\n")
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
