import ArgumentParser
import UVHTTP
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
    let socket = try await loop.http.webSocket("ws://server/chat").value
    func line() async throws -> String {
      guard case .text(let line)? = try await socket.next().value else {
        throw Violation("member \(number): the chat has ended")
      }
      return line
    }
    try await socket.send("\(number)").value
    while try await line() != "* welcome, \(number)" {}
    present.value += 1
    while present.value < 3 { try await loop.sleep(for: .milliseconds(100)).value }
    let count = 8
    for saying in 1...count { try await socket.send("saying \(saying)").value }
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
    try await socket.send("/quit").value
    while case .text(let line)? = try await socket.next().value {
      if !["* 1 has left", "* 2 has left", "* 3 has left"].contains(line) {
        throw Violation("member \(number) heard \"\(line)\" after all had been said")
      }
    }
  }
}
