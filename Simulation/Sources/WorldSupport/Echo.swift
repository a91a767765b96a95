public import UV

extension EventSource where Element: ByteStream {
  /// Sends the bytes of each connection back to it, until there are no more connections.
  public nonisolated(nonsending) func echo() async throws {
    while let connection = try await next().value {
      _ = loop.spawn {
        do { for try await bytes in connection { try await connection.write(bytes).value } } catch {}
      }
    }
  }
}
