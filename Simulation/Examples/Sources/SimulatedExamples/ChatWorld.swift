import ArgumentParser
import UV
import UVSimulation
import WorldSupport

@testable import Chat

/// Each member reads what each other one says, once and in order.
func chatWorld(_ world: World) throws {
  let server = world.program("server", isClient: false) {
    let command = try Chat.parse(["--host", "0.0.0.0", "--port", "80"])
    try command.run()
  }
  let (present, ready) = (Shared(0), Shared(0))
  try ask(server, in: world) { loop, number in
    let connection = try await loop.tcp.connect(host: "server", port: 80).value
    defer { connection.close() }
    func line() async throws -> String {
      guard let line = try await connection.readLine(limit: 1000).value else {
        throw Violation("member \(number): the chat has ended")
      }
      return String(decoding: line, as: UTF8.self)
    }
    try await connection.write(Bytes("\(number)\n".utf8)).value
    while try await line() != "* welcome, \(number)" {}
    present.value += 1
    while present.value < 3 { try await loop.sleep(for: .milliseconds(100)).value }
    let count = 8
    for saying in 1...count { try await connection.write(Bytes("saying \(saying)\n".utf8)).value }
    var heard = [0, 0, 0]
    while heard.reduce(0, +) < 2 * count {
      let line = try await line()
      if line.hasSuffix(" has come") { continue }
      guard let speaker = line.first?.wholeNumberValue, 1...3 ~= speaker, speaker != number,
        line == "\(speaker): saying \(heard[speaker - 1] + 1)"
      else { throw Violation("member \(number) heard \(heard), and then \"\(line)\"") }
      heard[speaker - 1] += 1
    }
    ready.value += 1
    while ready.value < 3 { try await loop.sleep(for: .milliseconds(100)).value }
    try await connection.write("/quit\n").value
    while let line = try await connection.readLine(limit: 1000).value {
      if !line.elementsEqual("* 1 has left".utf8), !line.elementsEqual("* 2 has left".utf8),
        !line.elementsEqual("* 3 has left".utf8)
      {
        throw Violation("member \(number) heard \"\(line)\" after all had been said")
      }
    }
  }
}
