import Testing
import UV
import UVTestSupport

/// Several readers of one stream that wait at the same time, for frames and for whatever comes, beside a model: they are
/// answered in their order, and one that is cancelled leaves its bytes to those behind it.
@Suite struct ReaderLineTests {
  /// A reader in the line. One without a wish takes the next bytes.
  private final class Reader {
    let wish: FrameModelTests.Wish?
    var outcome: String?
    var pending = PendingRequest()

    init(_ wish: FrameModelTests.Wish?) { self.wish = wish }

    func ask(_ stream: ByteStream) {
      let done: Completion<Bytes?> = { [self] in
        outcome = $0.value.map { $0.map { "\($0)" } ?? "end" } ?? $0.error!.name
      }
      pending = wish?.ask(stream, done) ?? stream.next(done)
    }
  }

  @Test("Readers are answered in their order, also those behind one that is cancelled", arguments: 1...16)
  func line(seed: UInt64) async throws {
    try await withStream { loop, near, far in
      let draws = Draws(seed)
      var (bytes, line, log): ([UInt8], [Reader], [String]) = ([], [], [])
      for _ in 0..<60 {
        switch draws.draw(4) {
        case 0 where !line.isEmpty:
          let index = draws.draw(line.count)
          log.append("cancel \(index)")
          let reader = line.remove(at: index)
          reader.pending.cancel()
          try await loop.until { reader.outcome != nil }
          #expect(reader.outcome == "ECANCELED", "\(log)")
        case 1:
          let text = draws.text
          log.append("+ \(text.debugDescription)")
          bytes += Array(text.utf8)
          try await far.write(Bytes(text)).value
        default:
          if line.count == 4 { continue }
          let reader = Reader(draws.draw(2) == 0 ? nil : draws.wish)
          log.append(reader.wish.map { "\($0)" } ?? "next")
          line.append(reader)
          reader.ask(near)
        }
        // Those that the model answers are answered, and no others.
        while let first = line.first {
          guard let wish = first.wish else {
            if bytes.isEmpty { break }
            try await loop.until { first.outcome != nil }
            let count = first.outcome!.utf8.count
            #expect(
              first.outcome == String(decoding: bytes.prefix(count), as: UTF8.self) && count > 0, "\(log)")
            bytes.removeFirst(count)
            line.removeFirst()
            continue
          }
          guard let (answer, count) = wish.answer(bytes) else { break }
          try await loop.until { first.outcome != nil }
          #expect(first.outcome == answer, "\(log)")
          bytes.removeFirst(count)
          line.removeFirst()
        }
        for _ in 0..<3 { try await loop.sleep(for: .zero).value }
        #expect(line.allSatisfy { $0.outcome == nil }, "\(log)")
      }
      for reader in line { reader.pending.cancel() }
    }
  }
}

/// The wishes and bytes of a seed. None is an error.
extension Draws {
  fileprivate var wish: FrameModelTests.Wish {
    switch draw(4) {
    case 0: .exactly(1 + draw(12))
    case 1: .peek(1 + draw(4))
    case 2: .until(one(of: [";", "ab", "bc;"]))
    default: .line
    }
  }

  fileprivate var text: String {
    (0...draw(6)).map { _ in one(of: ["a", "b", "c", "a", "b", ";", "\n"]) }.joined()
  }
}
