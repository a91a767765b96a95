import CTestHooks
import Testing

/// The far ends of many connections, in a process of their own, which has descriptors of its own.
struct ClientProcess {
  private let orders: Int32
  private let process: Int32

  init(port: UInt16) throws {
    var process: Int32 = 0
    orders = test_clients_start(port, &process)
    self.process = process
    try #require(orders >= 0)
  }

  /// Has it connect `count` more times.
  func connect(_ count: Int) { #expect(test_clients_connect(orders, Int32(count)) == 0) }

  /// Ends it, and its connections with it.
  func end() { #expect(test_clients_end(orders, process) == 0, "a client could not connect") }
}
