import UV
import UVSimulation

extension World {
  /// Adds a host whose end the world waits for, and which must leave nothing open.
  ///
  /// - Parameter mayBeBusy: Whether the host's loop may be held up now and then by something else.
  @discardableResult
  package func node(
    _ name: String, mayBeBusy: Bool = true,
    _ program: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> Void
  ) -> SimulatedHost {
    client(name) { loop in
      let chores = mayBeBusy ? loop.spawnChores() : nil
      try await program(loop)
      chores?.cancel()
      _ = try? await chores?.value
      try await loop.expectNothingOpen()
    }
  }
}
