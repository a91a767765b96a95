import Foundation
import Testing
import UV

/// A peer of an example that does what is useful, slowly and without an end.
struct HostilePeer: Sendable, CustomTestStringConvertible {
  /// What it does, in words.
  let state: String
  let example: String
  /// The options that make the limit of this state small, and all others long.
  let options: [String]
  /// What it sends first.
  var opening: Bytes = ""
  /// What it sends again and again; nothing if it only waits.
  var drip: Bytes = ""
  /// How much it reads at a time, between two drips; nil for all there is, 0 for nothing.
  var appetite: Int?

  var testDescription: String { "\(example): \(state)" }

  /// Goes on until the server has ended the connection; how many bytes it has read.
  @discardableResult
  nonisolated(nonsending) func attack(_ loop: EventLoop, port: Int) async throws -> Int {
    let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
    defer { connection.close() }
    var count = 0
    do throws(UVError) {
      try await connection.write(opening).value
      // A server that has ended the connection says so to who reads and to who writes.
      let reading = loop.spawn { () async throws(UVError) in
        while let bytes = try await read(connection) {
          count += bytes.count
          if appetite != nil { try await loop.sleep(for: .milliseconds(10)).value }
        }
      }
      defer { reading.cancel() }
      while reading.resultIfFinished == nil {
        if !drip.isEmpty { try await connection.write(drip).value }
        try await loop.sleep(for: .milliseconds(20)).value
      }
      try await reading.value
    } catch {
      // The end may be a reset, since the peer goes on sending.
      #expect([.connectionReset, .brokenPipe, .notConnected, .endOfFile].contains(error.code), "\(error)")
    }
    return count
  }

  private nonisolated(nonsending) func read(_ connection: TCPConnection) async throws(UVError) -> Bytes? {
    guard let appetite else { return try await connection.next().value }
    if appetite == 0 {
      // Only the end is of interest: a write finds it.
      while true { try await connection.loop.sleep(for: .seconds(60)).value }
    }
    return try await connection.read(exactly: appetite).value
  }
}

/// The memory of another process that is resident, in bytes.
func residentMemory(of processID: Int32) throws -> Int {
  let text = try String(contentsOfFile: "/proc/\(processID)/statm", encoding: .utf8)
  let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
