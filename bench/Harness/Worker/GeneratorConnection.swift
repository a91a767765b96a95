/// A load generator on another machine, which `generate --listen` has brought to the network.
final class GeneratorConnection: LineChannel {
  /// The address of this side, under which the generator sees this machine.
  let localHost: String
  private let address: NetworkAddress
  private let lines: LineStream

  /// Connects to a generator, and shows it the token.
  init(_ address: NetworkAddress, token: String) throws {
    self.address = address
    do {
      (lines, localHost) = try LineStream.connect(to: address)
    } catch {
      throw UsageError("cannot reach a load generator at \(address): \(error)")
    }
    try write("uvbench \(LoadGenerator.version) \(token)")
    let answer = try readLine(within: 10)
    guard answer == "welcome" else {
      let message = answer.hasPrefix("error ") ? String(answer.dropFirst(6)) : answer
      throw UsageError("the load generator at \(address) says: \(message)")
    }
  }

  func write(_ line: String) throws { try named { try lines.write(line) } }

  func readLine(within seconds: Double) throws -> String { try named { try lines.readLine(within: seconds) } }

  private func named<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch is LineStream.Ended {
      throw WorkerFailure("the load generator at \(address) has closed its connection")
    }
  }
}
