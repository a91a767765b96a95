import Testing

/// What the compiler says of mistakes in the body of a run.
@Suite struct LongBodyTests {
  @Test(
    "Two mistakes in a long body are shown where they are",
    arguments: ["EventLoop.run", "EventLoop.runCallbacks", "EventLoop().run", "EventLoop().runCallbacks"])
  func showsTheMistakes(run: String) throws {
    let body = """
      import UV
      try \(run) { loop in
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        loop.spawn {
          do {
            for try await connection in listener { try await connection.write("hello").value }
          } catch { print(error) }
        }
        let counts = ["a": 1].sorted { $0.val < $1.val }
        print(counts)
        loop.sleep(for: .seconds(1)) { _ in listener.close() }
      }
      """
    let (output, status) = try Checkout.compile(body, ["-swift-version", "6"])
    #expect(status != 0)
    #expect(output.contains("main.swift:9:") && output.contains("has no member 'val'"), "\(output)")
    #expect(!output.contains("could not be inferred"), "\(output)")
  }
}
