import UV

/// Names, random bytes and work: what the thread pool does beside files.
struct NameWork {
  let loop: EventLoop
  let ledger: Ledger

  func start() {
    loop.dns.resolve("localhost", port: 1, ledger.once("resolve"))
    loop.dns.resolve("localhost", port: 1, ledger.once("resolve, cancelled")).cancel()
    loop.work({ 1 }, ledger.once("work"))
    loop.work({ 1 }, ledger.once("work, cancelled")).cancel()
    loop.random(100, ledger.once("random"))
    loop.random(100, ledger.once("random, cancelled")).cancel()
    for literal in ["127.0.0.1", "::1"] {
      guard let address = try? SocketAddress(literal, port: 80) else { continue }
      loop.dns.nameInfo(of: address, options: [.numericHost], ledger.once("nameInfo"))
      loop.dns.nameInfo(of: address, ledger.once("nameInfo, cancelled")).cancel()
    }
  }
}
