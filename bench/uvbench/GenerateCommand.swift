import ArgumentParser
import BenchHarness
import UV

/// `generate`.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Put load on the servers of another machine, which asks for it with `run --generator`.",
    discussion: """
      Without --listen this is the load generator itself, which other commands start.

      With it, whoever connects and knows the token gets a load generator, for a
      server on the machine that asks, and for no other. Latencies are taken by this
      machine's clock and processor time by the other's, so they need not agree.
      What travels isn't encrypted: use a network that you trust, or a tunnel.
      After a wrong token, the next one from the same address is heard 200 ms later.
      Of those who are refused, ten are told in 10 s, and the others are counted.

      Example, on two machines:
        UVBENCH_TOKEN=secret uvbench generate --listen 0.0.0.0:7000
        UVBENCH_TOKEN=secret uvbench run -w tcp-echo --generator 10.0.0.2:7000

      Exit codes: 0 ended by SIGINT or SIGTERM, 2 wrong use.
      """)

  @Option(help: "Where to listen, as [ADDRESS:]PORT; 127.0.0.1 without an address, and any free port for 0.")
  var listen: String

  @OptionGroup var secret: TokenOption

  @Option(
    help: """
      How many may have a load generator at a time. A run connects once for each row of a case. \
      Who hasn't said the token doesn't count.
      """)
  var connections = 64

  private var address: NetworkAddress? {
    listen.allSatisfy(\.isNumber) ? NetworkAddress("127.0.0.1:\(listen)") : NetworkAddress(listen)
  }

  func validate() throws {
    guard let address else {
      throw ValidationError("--listen is [ADDRESS:]PORT, such as 7000 or 0.0.0.0:7000 or [::]:7000.")
    }
    guard !secret.value.isEmpty || address.isLoopback else {
      throw ValidationError(
        "Anybody who reaches \(address) could use this machine. Give a --token, or listen on 127.0.0.1.")
    }
    guard connections >= 1 else { throw ValidationError("--connections is at least 1.") }
  }

  func run() throws {
    guard let address else { return }
    let (token, most) = (secret.value, connections)
    do {
      try EventLoop.run { loop in
        let listener = try loop.tcp.listen(host: address.host, port: Int(address.port))
        try await loop.standardOutput.write(Bytes("listening on \(try listener.localAddress())\n")).value
        loop.shutdownGracefully(onSignals: [.terminate, .interrupt], within: .seconds(1)) { _ in }
        let (door, places) = (GeneratorDoor(loop, token: token), GeneratorVisit.Places(most))
        let log = try GeneratorLog(loop)
        for try await connection in listener {
          door.arrive(connection)
          loop.spawn { await GeneratorVisit(connection, at: door, log).serve(places) }
        }
        log.sayHowManyMore()
      }
    } catch let error as UVError {
      throw UsageError("\(error)")
    }
  }
}

extension NetworkAddress {
  /// Whether only this machine can reach it.
  var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
