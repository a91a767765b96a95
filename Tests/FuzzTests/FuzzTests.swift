import Testing
import UV
import UVTestSupport

/// A bounded run of the fuzzers' entries: a corpus, and mutations of it that are the same each time.
/// `Tests/run fuzz` runs the same entries under libFuzzer.
@Suite struct FuzzTests {
  @Test(
    "Whatever comes in, an address, a path, a stream or TLS keeps its promises", arguments: FuzzEntry.allCases
  )
  func aBoundedRun(entry: FuzzEntry) async throws {
    let rounds = entry == .address ? 5000 : entry == .tls ? 80 : 200
    try await withTemporaryDirectory { directory in
      let problems = try await withLoop { loop in
        var mutator = Mutator(seed: 1, corpus: Corpus.inputs(entry))
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
}

/// What the fuzzers begin with.
enum Corpus {
  static func inputs(_ entry: FuzzEntry) -> [[UInt8]] {
    switch entry {
    case .address:
      [
        "127.0.0.1", "0.0.0.0", "255.255.255.255", "::", "::1", "fe80::1%lo", "::ffff:1.2.3.4", "1.2.3",
        "[::1]",
        "2001:db8::8a2e:370:7334", "", "localhost", "127.0.0.1\0x", "1.2.3.4.5", ":::", "0x7f.1", "%",
      ].map { [31, 144] + Array($0.utf8) }
    case .path:
      [
        "name", ".", "..", "a\0b", "/etc/passwd", "/proc/self/stat", "../x", "å", "a b", "\n",
        String(repeating: "x", count: 255), String(repeating: "y", count: 256),
      ].map { Array($0.utf8) } + [[0xff], [0x61, 0xff, 0x62], [0xc3, 0x28]]
    case .stream:
      [
        [], [0x0f], [0x0f, 0x0f, 0x0f, 0x0f], [0x00, 0x01, 0x02], Array(0x00...0x5f), Array(0x60...0xcf),
        Array(repeating: 0x5f, count: 64), [0x9f, 0xaf, 0xbf, 0xc0], [0x3, 0x13, 0x23, 0xd0, 0x6f, 0xc0],
      ]
    case .tls:
      // The first byte chooses the version and the direction; see `Tampering` for the others.
      (0..<4).flatMap { (mode: UInt8) -> [[UInt8]] in
        [
          [mode], [mode, 0x03], [mode, 0x28, 0x0b], [mode, 0x8a, 0x13], [mode, 0xfa, 0xfa, 0x04],
          [mode, 0xfa, 0x07],
          [mode, 0x8a, 0x2d, 23, 3, 3, 0, 0], [mode, 0x2d, 21, 3, 3, 0, 2],
          [mode, 0xfa, 0x8a, 0x2d, 22, 3, 3, 0xff, 0xff],
        ]
      }
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
