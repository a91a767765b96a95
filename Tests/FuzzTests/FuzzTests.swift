#if Everything
import Testing
import UV
import UVTestSupport

/// A bounded run of the fuzzers' entries: a corpus, and mutations of it that are the same each time.
/// `Tests/run fuzz` runs the same entries under libFuzzer.
@Suite struct FuzzTests {
  @Test("Whatever comes in, each entry keeps its promises", arguments: FuzzEntry.allCases)
  func aBoundedRun(entry: FuzzEntry) async throws {
    let rounds = entry == .address ? 5000 : entry == .tls ? 80 : 200
    try await withTemporaryDirectory { directory in
      let problems = try await withLoop { loop in
        var mutator = Mutator(seed: 1, corpus: entry.corpus)
        for _ in 0..<rounds {
          let input = mutator.next()
          if let problem = try await entry.feed(input, to: loop, directory: directory) {
            return ["\(input): \(problem)"]
          }
        }
        return []
      }
      #expect(problems == [])
    }
  }

  @Test("What an entry of HTTP begins with is heard: requests, an answer, messages")
  func theBeginning() async throws {
    try await withLoop { loop in
      func heard(_ side: FuzzedHTTP.Side, _ entry: FuzzEntry) async throws -> [String] {
        try await FuzzedHTTP(loop, side, entry.corpus[0]).heardWhole()
      }
      let requests = try await heard(.requests, .http)
      #expect(requests.count == 2 && requests[1].hasPrefix("GET /b?c=%20 b "))
      #expect(try await heard(.answer, .answer).last == "\(Array("hello".utf8))")
      #expect(try await heard(.frames, .webSocket) == [#"text("hi")"#, "EOF", "-"])
    }
  }
}

/// Changes inputs a little, as a fuzzer does, but the same way each time.
struct Mutator {
  private var state: UInt64
  private var corpus: [[UInt8]]
  private var given = 0

  init(seed: UInt64, corpus: [[UInt8]]) {
    state = seed
    self.corpus = corpus
  }

  private mutating func number(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }

  /// The corpus first, then mutations.
  mutating func next() -> [UInt8] {
    defer { given += 1 }
    if given < corpus.count { return corpus[given] }
    var input = corpus[number(below: corpus.count)]
    for _ in 0...number(below: 4) {
      let position = number(below: input.count + 1)
      switch number(below: 5) {
      case 0: input.insert(UInt8(number(below: 256)), at: position)
      case 1 where position < input.count: input.remove(at: position)
      case 2 where position < input.count: input[position] ^= 1 << UInt8(number(below: 8))
      case 3: input.insert(contentsOf: corpus[number(below: corpus.count)].prefix(20), at: position)
      case 4: input.removeLast(min(input.count, number(below: 4)))
      default: break
      }
    }
    return input
  }
}
#endif
