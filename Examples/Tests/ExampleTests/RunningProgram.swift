import Foundation
import Testing

/// A program that runs beside a test: an example that serves, or a client. It ends after a minute at the
/// latest.
final class RunningProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  /// What has been read of the output and not been taken.
  private var unread: ArraySlice<UInt8> = []

  /// Starts one of the examples.
  convenience init(example: String, _ arguments: [String] = [], mergesErrors: Bool = false) throws {
    try self.init([Checkout.program(example).path] + arguments, mergesErrors: mergesErrors)
  }

  /// Starts a program that is found by its name or path.
  ///
  /// - Parameter mergesErrors: Whether what it reports as errors is read with what it prints.
  init(_ command: [String], mergesErrors: Bool = false) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = input
    process.standardOutput = output
    if mergesErrors { process.standardError = output }
    // A program that has ended is an error for its writers, and not the end of the tests.
    signal(SIGPIPE, SIG_IGN)
    try process.run()
    // The end of the program is to be seen.
    try? output.fileHandleForWriting.close()
    try? input.fileHandleForReading.close()
    // Longer than any test takes where builds run beside it.
    DispatchQueue.global().asyncAfter(deadline: .now() + 240) { [weak process] in process?.end() }
  }

  /// Starts an example that serves, and reads which port it has.
  static func serving(_ example: String, _ arguments: [String]) throws -> (RunningProgram, port: String) {
    let server = try RunningProgram(example: example, ["--port", "0"] + arguments, mergesErrors: true)
    return (server, try server.port())
  }

  // Tests run on threads that block SIGTERM, and so do the programs that are started there, unless they mind.
  deinit { process.end() }

  /// Reads a line; nil if the program has ended what it prints.
  func line() throws -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = unread[(end + 1)...] }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      unread = unread + Array(more)
    }
    defer { unread = [] }
    return unread.isEmpty ? nil : String(decoding: unread, as: UTF8.self)
  }

  /// Reads lines until one has a text in it.
  @discardableResult
  func line(containing text: String) throws -> String {
    while let line = try line() { if line.contains(text) { return line } }
    throw MissingLine(text: text)
  }

  struct MissingLine: Error { let text: String }

  /// The port that a server names in its first line.
  func port() throws -> String {
    let line = try #require(try line())
    #expect(line.hasPrefix("listening on 127.0.0.1:"))
    return try #require(line.split(separator: ":").last.map(String.init))
  }

  func write(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  func closeInput() throws { try input.fileHandleForWriting.close() }

  var processID: Int32 { process.processIdentifier }

  /// Sends SIGTERM.
  func terminate() { process.terminate() }

  /// Sends SIGUSR1.
  func sendUser1() { kill(process.processIdentifier, SIGUSR1) }

  /// Sends SIGINT.
  func interrupt() { process.interrupt() }

  /// Ends the program's input; what it goes on to print, and how it ends.
  func end() throws -> (output: String, status: Int32) {
    try? input.fileHandleForWriting.close()
    let rest = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: unread + rest, as: UTF8.self), process.terminationStatus)
  }
}

extension Process {
  /// Ends the program and what it has started: Foundation makes it the leader of a group.
  fileprivate func end() { kill(-processIdentifier, SIGKILL) }
}

/// The clients that the examples are tested with.
enum Client {
  /// Whether there is a program of this name. `Tests/Suites/Parts/clients` installs them.
  static func isInstalled(_ names: String...) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return names.allSatisfy { name in
      folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
  }

  static let hasRedis = isInstalled("redis-cli", "redis-benchmark")
  static let hasRedisServer = isInstalled("redis-server")
  static let hasNetcat = isInstalled("nc")
  static let hasSocat = isInstalled("socat")
  static let hasCurl = isInstalled("curl")
  static let hasWrk = isInstalled("wrk")
  static let hasH2load = isInstalled("h2load")

  static let howToInstall: Comment =
    "a client is missing; Tests/Suites/Parts/clients installs it"

  /// Runs a client to its end, in a shell; what it printed.
  static func run(_ script: String) throws -> String {
    let (output, status) = try runProgram(
      URL(fileURLWithPath: "/usr/bin/timeout"), ["-k", "5", "50", "/bin/bash", "-c", script])
    #expect(status != 124 && status != 137, "the client hasn't ended: \(script)")
    return output
  }
}
