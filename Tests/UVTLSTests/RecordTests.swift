import Foundation
import Testing
import UVTLS
import UVTestSupport

/// How writes become records.
@Suite struct RecordTests {
  /// The lengths of the records that hold a server's writes, as an observer on the way sees them.
  private nonisolated(nonsending) static func lengths(
    _ loop: EventLoop, _ server: TLSContext, writing sizes: [Int]
  ) async throws -> [[Int]] {
    let (near, proxyNear) = try loop.pipes.socketPair()
    let (far, proxyFar) = try loop.pipes.socketPair()
    var seen: [UInt8] = []
    proxyNear.start { result in
      guard case .success(let bytes?) = result else { return }
      seen += bytes
      proxyFar.write(bytes) { _ in }
    }
    proxyFar.start { if case .success(let bytes?) = $0 { proxyNear.write(bytes) { _ in } } }
    let (a, b) = try await handshake(loop, near, far, server, Certificates.shared.client()).get()
    // The tickets come first.
    try await a.write("x").value
    #expect(try await b.next().value == "x")
    var all: [[Int]] = []
    for size in sizes {
      seen = []
      let writing = loop.spawn { () async throws(UVError) in
        try await a.write(Bytes(repeating: 1, count: size)).value
      }
      #expect(try await b.read(exactly: size).value?.count == size)
      try await writing.value
      var lengths: [Int] = []
      var rest = seen[...]
      while rest.count >= 5 {
        let length = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
        // Without the type's byte and the tag.
        lengths.append(length - 17)
        rest = rest.dropFirst(5 + length)
      }
      all.append(lengths)
    }
    for stream in [a, b, proxyNear, proxyFar] { stream.close() }
    return all
  }

  @Test func `Records are as large as can be`() async throws {
    let server = try Certificates.shared.server()
    try await withLoop { loop in
      let lengths = try await Self.lengths(loop, server, writing: [40_000, 10])
      #expect(lengths == [[16_384, 16_384, 7232], [10]])
    }
  }

  @Test func `The first 16 KiB leave in records of 1,300 bytes if the server asks for that`() async throws {
    var options = TLSOptions()
    options.smallFirstRecords = true
    let server = try Certificates.shared.server(options: options)
    try await withLoop { loop in
      let lengths = try await Self.lengths(loop, server, writing: [3000, 40_000, 10])
      #expect(lengths[0] == [1300, 1300, 400])
      #expect(lengths[1].dropLast(3).allSatisfy { $0 <= 1300 })
      #expect(lengths[1].last! > 1300)
      #expect(lengths[1].reduce(0, +) == 40_000)
      #expect(lengths[2] == [10])
    }
  }

  #if os(Linux)
  /// How often the calling thread has asked the system to write.
  private static var writeCount: Int {
    let text = (try? String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("syscw: ") }
    return line.flatMap { Int($0.dropFirst(7)) } ?? -1
  }

  @Test("A ticket leaves with the first answer, and the client's last message with the first request")
  func fewWrites() async throws {
    let (server, client) = try (Certificates.shared.server(), Certificates.shared.client())
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      var ends: [TLSConnection] = []
      var count: Int?
      let before = Self.writeCount
      loop.tls.secure(near, server) { result in
        guard case .success(let connection) = result else { return }
        ends.append(connection)
        connection.start { if case .success(let bytes?) = $0 { connection.write(bytes) { _ in } } }
      }
      loop.tls.secure(far, client, host: "localhost") { result in
        guard case .success(let connection) = result else { return }
        ends.append(connection)
        connection.write("request") { _ in }
        connection.start { result in
          // The handler is notified of the end, too.
          if count != nil { return }
          #expect(result.value == "request")
          count = Self.writeCount - before
        }
      }
      while count == nil { try await loop.sleep(for: .zero).value }
      // A hello of each, the request, and the answer.
      #expect(count == 4)
      for end in ends { end.close() }
    }
  }
  #endif

  @Test func `After a second without a write records are small again`() {
    var records = SmallRecords()
    let start = LoopClock.Instant.now
    records.begin(at: start)
    var count = 0
    while case let next = records.next(of: 100_000), next < 100_000 { count += next }
    #expect(count == SmallRecords.countAfterIdle)
    records.begin(at: start.advanced(by: .milliseconds(900)))
    #expect(records.next(of: 5000) == 5000)
    records.begin(at: start.advanced(by: .milliseconds(1899)))
    #expect(records.next(of: 5000) == 5000)
    records.begin(at: start.advanced(by: .milliseconds(2899)))
    #expect(records.next(of: 5000) == SmallRecords.recordSize)
    #expect(records.next(of: 10) == 10)
  }
}
