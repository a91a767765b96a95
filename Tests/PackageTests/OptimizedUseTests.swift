import Testing

/// Functions of a user's that Swift 6.3.1 crashed on, compiled with optimization against this build.
@Suite struct OptimizedUseTests {
  @Test(
    "Optimization takes a function that throws any error beside a request's",
    arguments: ["5", "6"], functions)
  func optimizes(mode: String, function: String) throws {
    let compiler = try Checkout.compile(
      "import UV\n\(function)\n", ["-O", "-swift-version", mode, "-parse-as-library"])
    #expect(compiler.status == 0, "\(compiler.output.prefix(2000))")
  }

  private static let functions = [
    """
    func echo(_ c: TCPConnection) async throws { for try await bytes in c { try await c.write(bytes).value } }
    public func handle(_ c: TCPConnection) async throws {
      try await echo(c)
      try await c.shutdown().value
    }
    """,
    """
    public func wait(_ loop: EventLoop, _ f: () throws -> Void) async throws {
      try f()
      try await loop.sleep(for: .seconds(1)).value
    }
    """,
    """
    public struct NoNumber: Error { let text: String }
    func number(_ text: String) throws -> Int {
      guard let n = Int(text) else { throw NoNumber(text: text) }
      return n
    }
    public func sum(_ loop: EventLoop, _ c: TCPConnection, _ text: String) async throws {
      let n = try await loop.files.readFile("/x").value.count + number(text)
      try await c.write(Bytes("\\(n)")).value
    }
    """,
    """
    public func choose(_ c: TCPConnection, _ f: () throws -> Int, _ b: Bool) async throws -> Int {
      let n = if b { try await c.next().value?.count ?? 0 } else { try f() }
      try await c.write("x").value
      return n
    }
    """,
  ]
}
