import Foundation
import Testing

@testable import UVSimulationTesting
@testable import uvsim

@Suite struct HuntTests {
  @Test("The command that repeats a run is quoted as a shell takes it")
  func quoting() throws {
    #expect(quoted("timers") == "timers")
    for word in ["late turns over tcp", "it's", "", "a\"b$c`d\\e*"] {
      let (status, output) = try Self.shell("printf %s \(quoted(word))")
      #expect(status == 0 && output == word)
    }
    #expect(showCommand("fair pool", 7).hasSuffix(" show 7 'fair pool'"))
  }

  @Test("The filter of a test whose name is a sentence finds that sentence")
  func filter() throws {
    #expect(Simulated.filter("eachSeed(number:)") == "eachSeed")
    let sentence = "It's 2 + 2 (or more)."
    let (status, output) = try Self.shell("printf %s \(Simulated.filter("`\(sentence)`()"))")
    #expect(status == 0)
    #expect(try sentence.wholeMatch(of: Regex(output)) != nil, "\(output)")
  }

  @Test("A name finds the world that has it, and a part of names each of these worlds")
  func names() {
    #expect(worlds(["pool"]).map(\.name) == ["pool"])
    #expect(worlds(["over unix"]).count > 3)
  }

  @Test("A hunt that crashes says in which run, how it is repeated, and where it was")
  func crash() throws {
    let products = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    ).deletingLastPathComponent()
    let (process, output, progress) = (Process(), Pipe(), Pipe())
    process.executableURL = products.appendingPathComponent("uvsim")
    process.arguments = ["hunt", "100000000", "fair pool"]
    (process.standardOutput, process.standardError) = (output, progress)
    try process.run()
    // Its first progress.
    let first = String(decoding: progress.fileHandleForReading.availableData, as: UTF8.self)
    #expect(first == "0 of 100000000 runs, 0 a second; seed 1, fair pool\n")
    kill(process.processIdentifier, SIGSEGV)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    let lines = text.split(separator: "\n").map(String.init)
    try #require(lines.count > 3, "\(text)")
    let run = lines[0].wholeMatch(of: /fair pool: seed (\d+): the process has crashed/)
    let seed = try #require(run, "\(text)").1
    #expect(lines[1].hasPrefix("repeat it with: /") && lines[1].hasSuffix("uvsim show \(seed) 'fair pool'"))
    #expect(lines[2...].contains { $0.contains("uvsim(") }, "\(text)")
  }

  static func shell(_ command: String) throws -> (Int32, String) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
