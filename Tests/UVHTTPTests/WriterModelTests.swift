#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Parts of an answer arrive in the order in which they were written: bytes and files, short and long, from wherever they
/// are written. Those that were promised are counted.
@Suite struct WriterModelTests {
  private static let content = Bytes((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })

  /// Writes parts at random, also when others have ended, and notes what has been written.
  private final class Program {
    let writer: HTTPResponseWriter
    let file: File
    let draws: Draws
    private(set) var written: [UInt8] = []
    private var (open, count) = (0, 0)
    private let didFinish: ([UInt8]) -> Void
    private let most: Int

    init(_ writer: HTTPResponseWriter, _ file: File, _ seed: UInt64, _ didFinish: @escaping ([UInt8]) -> Void)
    {
      (self.writer, self.file, draws, self.didFinish) = (writer, file, Draws(seed), didFinish)
      most = 3 + draws.draw(15)
    }

    func begin() {
      for _ in 0..<(1 + draws.draw(4)) { writeOne() }
    }

    private func writeOne() {
      count += 1
      open += 1
      let size = draws.one(of: [0, 1, 10, 3000, 16_384, 16_385, 70_000])
      let start = draws.draw(content.count - size)
      written += content[start..<(start + size)]
      let done: Completion<Void> = { [self] result in
        #expect(result.error == nil)
        open -= 1
        for _ in 0..<draws.draw(3) where count < most { writeOne() }
        if open == 0, count < most { writeOne() }
        if open == 0, count >= most { finish() }
      }
      if draws.draw(3) == 0 {
        writer.write(file: file, from: Int64(start), count: size, done)
      } else {
        writer.write(Bytes(content[start..<(start + size)]), done)
      }
    }

    private func finish() {
      if count == .max { return }
      count = .max
      writer.finish { [self] _ in didFinish(written) }
    }
  }

  @Test("What is written is what comes, in its order", arguments: [0, 100])
  func order(first: UInt64) async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        try await loop.files.writeFile("\(directory)/file", Self.content).value
        let file = try await loop.files.open("\(directory)/file").value
        let server = try loop.http.listen(host: "127.0.0.1", port: 0)
        var expected: [UInt8]?
        var seed: UInt64 = 0
        server.start { result in
          guard case .success(let exchange?) = result,
            let writer = try? exchange.begin(HTTPResponse(status: .ok))
          else { return }
          Program(writer, file, seed) { expected = $0 }.begin()
        }
        let client = HTTPClient(loop)
        let url = "http://127.0.0.1:\(try server.localAddress().port)/"
        for number in 1...8 as ClosedRange<UInt64> {
          (seed, expected) = (number + first, nil)
          let body = try await client.get(url).value.body.readToEnd(limit: 1 << 24).value
          try await loop.until { expected != nil }
          let isRight = expected!.elementsEqual(body)
          #expect(isRight, "seed \(seed): \(body.count) and not \(expected!.count) bytes")
        }
        try await client.close().value
        server.close()
        try await file.close().value
      }
    }
  }

  /// How a part is written.
  enum Way: CaseIterable, Sendable { case bytes, file, both }

  @Test(
    "An answer has as many bytes as were promised: more are refused, and fewer break it off",
    arguments: Way.allCases)
  func promised(way: Way) async throws {
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        try await loop.files.writeFile("\(directory)/file", Self.content).value
        let file = try await loop.files.open("\(directory)/file").value
        for counts in [
          [10], [4, 6], [11, 10], [4, 7, 6], [4, 6, 1], [0, 10, 0], [9], [4, 5], [11], [], [1, 10],
        ] {
          var outcomes: [Bool] = []
          var end: UVError.Code??
          let server = try loop.http.listen(host: "127.0.0.1", port: 0)
          server.start { result in
            guard case .success(let exchange?) = result,
              let writer = try? exchange.begin(HTTPResponse(status: .ok), length: 10)
            else { return }
            for (index, count) in counts.enumerated() {
              let done: Completion<Void> = { outcomes.append($0.error?.code != .invalidArgument) }
              if way == .file || way == .both && index % 2 == 0 {
                writer.write(file: file, count: count, done)
              } else {
                writer.write(Bytes(Self.content[..<count]), done)
              }
            }
            writer.finish { end = .some($0.error?.code) }
          }
          // What fits is taken.
          var (rest, expected): (Int, [UInt8]) = (10, [])
          var taken: [Bool] = []
          for count in counts {
            taken.append(count <= rest)
            if count <= rest { (rest, expected) = (rest - count, expected + Self.content[..<count]) }
          }
          let client = HTTPClient(loop)
          let url = "http://127.0.0.1:\(try server.localAddress().port)/"
          let found = await client.outcome(HTTPRequest(url: url)!)
          try await loop.until { end != nil && outcomes.count == counts.count }
          if rest == 0 {
            #expect(found == "200 \(Bytes(expected))" && end == .some(nil), "\(counts)")
            #expect(outcomes.count { $0 } == taken.count { $0 }, "\(counts)")
          } else {
            #expect(found != "200 \(Bytes(expected))" && end == .some(.invalidArgument), "\(counts)")
          }
          try await client.close().value
          server.close()
        }
        try await file.close().value
      }
    }
  }
}
#endif
