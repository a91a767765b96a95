import Foundation

/// Calls `body` with a directory of the test's own, which is removed afterwards with all that is in it.
public func withTemporaryDirectory<T>(
  _ body: nonisolated(nonsending) (String) async throws -> T
) async throws -> T {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("swift-uv-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  return try await body(directory)
}
