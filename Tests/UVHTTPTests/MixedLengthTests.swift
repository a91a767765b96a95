#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// What is written on a connection leaves in its order, also when many short parts stand behind long ones in one turn: what is
/// copied, what isn't, and what leaves before the turn's end.
@Suite struct MixedLengthTests {
  private static let (short, long) = ([0, 1, 100, 1000, 5000, 16_384], [16_385, 20_000, 70_000])

  /// Lengths of parts, in runs of short ones and of long ones, and whether a turn ends behind each run.
  private static func program(_ seed: UInt64) -> [(sizes: [Int], endsTurn: Bool)] {
    let draws = Draws(seed)
    var isLong = draws.draw(2) == 0
    return (0..<(2 + draws.draw(5))).map { _ in
      isLong.toggle()
      let size = draws.one(of: isLong ? long : short)
      // Several lengths, or many times the same.
      let isSame = draws.draw(2) == 0
      let count = isLong ? 1 + draws.draw(3) : 1 + draws.draw(40)
      let sizes = (0..<count).map { _ in isSame ? size : draws.one(of: isLong ? long : short) }
      return (sizes, draws.draw(4) == 0)
    }
  }

  /// A part that differs from those beside it.
  private static func part(_ number: Int, _ size: Int) -> Bytes {
    Bytes(repeating: UInt8(97 + number % 26), count: size)
  }

  private static func words(_ number: Int, _ size: Int) -> String {
    "\(size) \(size == 0 ? "" : String(UnicodeScalar(UInt8(97 + number % 26))))"
  }

  private static func words(_ bytes: Bytes) -> String {
    "\(bytes.count) \(bytes.first.map { String(UnicodeScalar($0)) } ?? "")"
  }

  /// Says which part is the first that isn't where it was written.
  private static func check(_ found: [String], _ program: [(sizes: [Int], endsTurn: Bool)], _ seed: UInt64) {
    let expected = program.flatMap(\.sizes).enumerated().map { words($0, $1) }
    let place = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset
    #expect(
      place == nil && found.count == expected.count, "seed \(seed): \(program.map { $0.sizes.prefix(3) })")
  }

  @Test("Messages of WebSockets come in their order", arguments: [true, false])
  func messages(isByServer: Bool) async throws {
    try await withBothEnds(isByServer: isByServer) { loop, sender, receiver in
      for seed in 1...8 as ClosedRange<UInt64> {
        let program = Self.program(seed)
        let reading = loop.spawn { () async throws(UVError) in
          var found: [String] = []
          while found.count < program.reduce(0, { $0 + $1.sizes.count }),
            case .binary(let bytes)? = try await receiver.next().value
          { found.append(Self.words(bytes)) }
          return found
        }
        var number = 0
        for (sizes, endsTurn) in program {
          for size in sizes {
            sender.send(.binary(Self.part(number, size))) { _ in }
            number += 1
          }
          if endsTurn { try await loop.sleep(for: .zero).value }
        }
        Self.check(try await reading.value, program, seed)
      }
    }
  }

  @Test("Answers to requests that came together come in their order")
  func answers() async throws {
    try await withLoop { loop in
      var limits = HTTPLimits()
      limits.pipelinedRequests = 1000
      for seed in 1...8 as ClosedRange<UInt64> {
        let program = Self.program(seed)
        let count = program.reduce(0) { $0 + $1.sizes.count }
        let (near, far) = try loop.pipes.socketPair()
        let server = loop.http.serve(near, limits: limits)
        var exchanges: [HTTPExchange] = []
        server.start { if case .success(let exchange?) = $0 { exchanges.append(exchange) } }
        try await far.write(
          Bytes(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: count))
        ).value
        try await loop.until { exchanges.count == count }
        let reading = loop.spawn { () async throws(UVError) in try await Self.read(count, far) }
        var number = 0
        for (sizes, endsTurn) in program {
          for size in sizes {
            exchanges[number].respond(HTTPResponse(status: .ok), Self.part(number, size)) { _ in }
            number += 1
          }
          if endsTurn { try await loop.sleep(for: .zero).value }
        }
        let found = try await reading.value
        Self.check(found, program, seed)
        exchanges = []
        far.close()
        server.close()
      }
    }
  }

  /// Reads so many answers, and says which bodies they have.
  private static nonisolated(nonsending) func read(_ count: Int, _ stream: ByteStream)
    async throws(UVError) -> [String]
  {
    var found: [String] = []
    for _ in 0..<count {
      let head = "\(try await stream.read(until: "\r\n\r\n", limit: 1000).value ?? "")"
      let text = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }?.dropFirst(16)
      let length = Int(text ?? "") ?? 0
      var body = Bytes()
      if length > 0, let read = try await stream.read(exactly: length).value { body = read }
      found.append(words(body))
    }
    return found
  }
}
#endif
