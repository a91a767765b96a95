import UV
import UVSimulation
import WorldSupport

/// Has three clients ask a server, while links are cut. Then the server has to let go of what it has opened
/// for them, and to end.
///
/// - Parameter kept: How many files the server may keep open.
func ask(
  _ server: SimulatedHost, in world: World, kept: Int = 0,
  _ client: nonisolated(nonsending) @escaping @Sendable (EventLoop, Int) async throws -> Void
) throws {
  try world.sleep(for: .seconds(1))
  let before = server.openDescriptors
  let clients = (1...3).map { number in
    world.client("client \(number)") { loop in try await client(loop, number) }
  }
  world.disturb([server] + clients, every: .seconds(10), longest: .seconds(3))
  for client in clients { try world.wait(for: client) }
  world.calmDown()
  var patience = 300
  while server.openDescriptors > before + kept {
    if patience == 0 {
      throw Violation("\(server.openDescriptors) descriptors are open, and \(before) were before")
    }
    patience -= 1
    try world.sleep(for: .seconds(1))
  }
  world.signal(server, .terminate)
  try world.wait(for: server)
}

/// Sends messages to an echo and compares what comes back. Then both ends are ended.
func checkEcho(_ loop: EventLoop, _ connection: ByteStream, _ number: Int) async throws {
  for round in 1...4 {
    let sent = message(number + round, round * round * 1900)
    let writing = loop.spawn { () async throws(UVError) in try await connection.write(sent).value }
    let back = try await connection.read(exactly: sent.count).value
    if back != sent { throw Violation("client \(number), round \(round): other bytes came back") }
    try await writing.value
  }
  try await connection.shutdown().value
  if let more = try await connection.next().value {
    throw Violation("client \(number): \(more.count) bytes more than were sent")
  }
}
