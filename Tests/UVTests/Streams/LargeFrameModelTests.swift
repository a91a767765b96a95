import Testing
import UV
import UVTestSupport

/// Frames that are too large for one read of the system, of which some are given up half-way. Each byte has its place.
@Suite struct LargeFrameModelTests {
  /// A period that no buffer's size is a multiple of.
  private static let period = 251
  private static let pattern = Bytes((0..<period + 400_000).map { UInt8($0 % period) })

  /// The bytes that the peer sends, from one on.
  private static func bytes(from offset: Int, _ count: Int) -> Bytes {
    Bytes(pattern.dropFirst(offset % period).prefix(count))
  }

  enum Wish: CustomStringConvertible {
    case exactly(Int), peek(Int), into(Int), next, until(Int), rest(Int)

    var description: String {
      switch self {
      case .exactly(let count): "exactly \(count)"
      case .peek(let count): "peek \(count)"
      case .into(let count): "into \(count)"
      case .next: "next"
      case .until(let count): "until within \(count)"
      case .rest(let count): "rest within \(count)"
      }
    }

    func ask(_ stream: ByteStream, _ done: @escaping (Bytes?, UVError?) -> Void) -> PendingRequest {
      switch self {
      case .exactly(let count): return stream.read(exactly: count) { done($0.value ?? nil, $0.error) }
      case .peek(let count): return stream.peek(exactly: count) { done($0.value ?? nil, $0.error) }
      case .next: return stream.next { done($0.value ?? nil, $0.error) }
      // The pattern has no byte of 251 or more.
      case .until(let count):
        return stream.read(until: [255], limit: count) { done($0.value ?? nil, $0.error) }
      case .rest(let count): return stream.readToEnd(limit: count) { done($0.value, $0.error) }
      case .into(let count):
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        return stream.read(into: memory) { result in
          done(
            result.value.map { Bytes(copying: UnsafeRawBufferPointer(rebasing: memory[..<$0])) }, result.error
          )
          memory.deallocate()
        }
      }
    }
  }

  @Test("Each frame has its own bytes, whatever was asked for and given up before", arguments: 1...12)
  func model(seed: UInt64) async throws {
    try await withStream { loop, near, far in
      let draws = Draws(seed)
      // How many bytes have been sent, and taken.
      var (sent, taken, log) = (0, 0, [String]())
      func send(_ count: Int) {
        far.write(Self.bytes(from: sent, count)) { _ in }
        sent += count
        log.append("+\(count)")
      }
      for _ in 0..<25 {
        let sizes = [1, 100, 16_383, 16_384, 16_385, 40_000, 65_536, 100_000, 250_000]
        let wish: Wish =
          switch draws.draw(7) {
          case 0: .next
          case 1: .peek(draws.one(of: sizes))
          case 2: .into(draws.one(of: sizes))
          case 3: .until(draws.one(of: sizes))
          case 4: .rest(draws.one(of: sizes))
          default: .exactly(draws.one(of: sizes))
          }
        log.append("\(wish)")
        if draws.draw(3) == 0 { send(draws.one(of: sizes)) }
        var answers: [(bytes: Bytes?, code: UVError.Code?)] = []
        let pending = wish.ask(near) { answers.append(($0, $1?.code)) }
        for _ in 0..<draws.draw(3) where answers.isEmpty {
          send(draws.one(of: sizes))
          for _ in 0..<draws.draw(8) { try await loop.sleep(for: .zero).value }
        }
        let gives = draws.draw(3)
        let needed =
          switch wish {
          case .exactly(let count), .peek(let count): count
          case .next, .into: 1
          case .until(let limit), .rest(let limit): limit + 1
          }
        if gives == 0, answers.isEmpty {
          log.append("cancelled")
          pending.cancel()
        } else if gives == 1, answers.isEmpty, sent - taken < needed {
          log.append("timed out")
          near.readTimeout = .zero
        } else {
          while sent - taken < needed { send(draws.one(of: sizes)) }
        }
        try await loop.until { !answers.isEmpty }
        near.readTimeout = nil
        let (bytes, code) = answers[0]
        let given: [UVError.Code?] = [.cancelled, .timedOut]
        if given.contains(code) { continue }
        switch wish {
        case .exactly(let count), .peek(let count):
          #expect(bytes == Self.bytes(from: taken, count), "\(log)")
          if case .exactly = wish { taken += count }
        case .next, .into:
          let count = bytes?.count ?? 0
          #expect(count > 0 && bytes == Self.bytes(from: taken, count), "\(log)")
          if case .into(let most) = wish { #expect(count <= most) }
          taken += count
        case .until, .rest: #expect(code == .messageTooLong, "\(log)")
        }
        #expect(answers.count == 1)
      }
      // All that has been sent is there, in its place.
      far.shutdown { _ in }
      while let part = try await near.next().value {
        #expect(part == Self.bytes(from: taken, part.count), "\(log)")
        taken += part.count
      }
      #expect(taken == sent, "\(log)")
    }
  }
}
