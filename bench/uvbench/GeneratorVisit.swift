import BenchHarness
import UV

/// Somebody who has connected to `generate --listen`, with a load generator of their own once they have said
/// the token.
struct GeneratorVisit {
  /// The places of visitors that are let in.
  final class Places {
    var count: Int

    init(_ count: Int) { self.count = count }
  }

  private let connection: TCPConnection
  private let door: GeneratorDoor
  private let log: GeneratorLog

  init(_ connection: TCPConnection, at door: GeneratorDoor, _ log: GeneratorLog) {
    (self.connection, self.door, self.log) = (connection, door, log)
  }

  /// Serves until they leave.
  ///
  /// - Parameter places: How many more may be let in.
  func serve(_ places: Places) async {
    defer {
      door.leave(connection)
      connection.close()
    }
    var isIn = false
    do throws(UVError) {
      let visitor = try connection.peerAddress()
      var refusal = try await refusal(of: visitor.host)
      if refusal == nil, places.count == 0 { refusal = "too many are connected" }
      guard let refusal else {
        isIn = true
        door.leave(connection)
        places.count -= 1
        defer { places.count += 1 }
        log.say("\(visitor) has a load generator")
        try await relay(to: visitor.host)
        return log.say("\(visitor) has left")
      }
      log.sayOfStranger("\(visitor) was refused: \(refusal)")
      try await connection.write(Bytes("error \(refusal)\n")).value
    } catch {
      let text = "a visitor has left: \(error)"
      if isIn { log.say(text) } else { log.sayOfStranger(text) }
    }
  }

  /// Why they are not welcome; nil if they are.
  private func refusal(of host: String) async throws(UVError) -> String? {
    let line = try await connection.readLine(limit: 512).timeout(after: .seconds(10)).value
    let text = line.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == "uvbench" else { return "this is a load generator of uvbench" }
    guard words[1] == "\(LoadGenerator.version)" else {
      return "the two programs are of different versions"
    }
    return try await door.refusal(String(words[2]), from: host)
  }

  /// Passes on what is asked and answered.
  private func relay(to host: String) async throws(UVError) {
    let loop = connection.loop
    let child = try loop.processes.spawn(
      Executable.path, ["generate", "\(SystemInfo.processID)", host], stdio: [.pipe, .pipe, .inherit])
    defer { child.standardInput?.close() }
    guard let input = child.standardInput, let output = child.standardOutput else { return }
    try await connection.write("welcome\n").value
    while let line = try await connection.readLine(limit: 2000).value {
      try await input.write([line, "\n"]).value
      if line.elementsEqual("end".utf8) { continue }
      guard let answer = try await output.readLine(limit: 1 << 24).value else { return }
      try await connection.write([answer, "\n"]).value
    }
  }
}
