import Testing
import UV

@Suite struct AddressQueueTests {
  @Test func `Addresses wait in a queue in which the families take turns`() throws {
    var queue = AddressQueue()
    func address(_ text: String) throws -> SocketAddress { try SocketAddress(text, port: 1) }
    func take() -> String? { queue.popFirst()?.host }
    queue.append(try ["1.1.1.1", "1.1.1.2", "::1", "::2", "::3"].map(address))
    #expect([take(), take(), take()] == ["::1", "1.1.1.1", "::2"])
    queue.append(try ["1.1.1.3", "::4"].map(address))
    #expect([take(), take(), take(), take(), take()] == ["1.1.1.2", "::3", "1.1.1.3", "::4", nil])
    #expect(queue.isEmpty)
  }
}
