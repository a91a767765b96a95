import Testing
import UV
import UVTestSupport

/// Many readers of all kinds in one line, of which some are cancelled, and all that wait time out now and then, while bytes come
/// in parts and end. They are answered in their order, each with what the bytes have for it.
@Suite struct ReaderQueueModelTests {
  enum Wish: CustomStringConvertible {
    case next, exactly(Int), peek(Int), until(String, limit: Int), line(Int), strictLine(Int), into(Int),
      rest(Int)

    func ask(_ stream: ByteStream, _ done: @escaping (String?, UVError?) -> Void) -> PendingRequest {
      let report: Completion<Bytes?> = { done(($0.value ?? nil).map { "\($0)" }, $0.error) }
      switch self {
      case .next: return stream.next(report)
      case .exactly(let count): return stream.read(exactly: count, report)
      case .peek(let count): return stream.peek(exactly: count, report)
      case .until(let delimiter, let limit): return stream.read(until: Bytes(delimiter), limit: limit, report)
      case .line(let limit): return stream.readLine(limit: limit, report)
      case .strictLine(let limit): return stream.readLine(limit: limit, onlyCRLF: true, report)
      case .rest(let limit): return stream.readToEnd(limit: limit) { report($0.map { $0 }) }
      case .into(let count):
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        return stream.read(into: memory) { result in
          let text = result.value.flatMap {
            $0 > 0 ? String(decoding: memory.prefix($0), as: UTF8.self) : nil
          }
          memory.deallocate()
          done(text, result.error)
        }
      }
    }

    /// The answer for these bytes, and how many it takes; nil if more have to come. As many as have come are any number.
    func answer(_ bytes: [UInt8], isEnd: Bool) -> (text: String?, code: UVError.Code?, taken: Int)? {
      func text(_ count: Int) -> String { String(decoding: bytes.prefix(count), as: UTF8.self) }
      let carriageReturn = UInt8(ascii: "\r")
      switch self {
      case .next, .into: break
      case .exactly(let count): if bytes.count >= count { return (text(count), nil, count) }
      case .peek(let count): if bytes.count >= count { return (text(count), nil, 0) }
      case .until(let delimiter, let limit):
        for start in 0...limit where bytes.dropFirst(start).starts(with: delimiter.utf8) {
          return (text(start), nil, start + delimiter.utf8.count)
        }
        if bytes.count >= limit + delimiter.utf8.count { return (nil, .messageTooLong, 0) }
      case .line(let limit), .strictLine(let limit):
        if let end = bytes.prefix(limit + 2).firstIndex(of: UInt8(ascii: "\n")) {
          let count = end > 0 && bytes[end - 1] == carriageReturn ? end - 1 : end
          if case .strictLine = self, count == end || bytes[..<count].contains(carriageReturn) {
            return (nil, .protocolError, 0)
          }
          return count <= limit ? (text(count), nil, end + 1) : (nil, .messageTooLong, 0)
        }
        if bytes.count >= limit + 2 { return (nil, .messageTooLong, 0) }
      case .rest(let limit):
        if bytes.count > limit { return (nil, .messageTooLong, 0) }
        if isEnd { return (text(bytes.count), nil, bytes.count) }
      }
      if !isEnd { return nil }
      return bytes.isEmpty ? (nil, nil, 0) : (nil, .endOfFile, 0)
    }

    var description: String {
      switch self {
      case .next: "next"
      case .exactly(let count): "exactly \(count)"
      case .peek(let count): "peek \(count)"
      case .until(let delimiter, let limit): "until \(delimiter.debugDescription) within \(limit)"
      case .line(let limit): "line within \(limit)"
      case .strictLine(let limit): "strict line within \(limit)"
      case .into(let count): "into \(count)"
      case .rest(let limit): "rest within \(limit)"
      }
    }
  }

  private final class Reader {
    let wish: Wish
    var pending = PendingRequest()
    var answers: [(text: String?, code: UVError.Code?)] = []
    var isCancelled = false
    var mayTimeOut = false

    init(_ wish: Wish) { self.wish = wish }
  }

  /// What has come, and who has asked.
  private final class Model {
    var bytes: [UInt8] = []
    var isEnd = false
    var readers: [Reader] = []
    var log: [String] = []
    /// How many of the readers have been compared with the bytes.
    var checked = 0

    /// Compares the answers, in the order of the readers, and says whether all that are due have come.
    func check() -> Bool {
      while checked < readers.count {
        let reader = readers[checked]
        if reader.isCancelled, reader.answers.first.map({ $0.code == .cancelled }) ?? true {
          if reader.answers.isEmpty { return false }
          checked += 1
          continue
        }
        if reader.mayTimeOut, reader.answers.first?.code == .timedOut {
          checked += 1
          continue
        }
        switch reader.wish {
        case .next, .into:
          guard let answer = reader.answers.first else { return bytes.isEmpty && !isEnd }
          let text = Array((answer.text ?? "").utf8)
          var most = Int.max
          if case .into(let count) = reader.wish { most = count }
          let isRight =
            answer.code == nil && (text.isEmpty ? bytes.isEmpty && isEnd : bytes.starts(with: text))
          #expect(isRight && text.count <= most, "\(reader.wish): \(answer) of \(bytes), \(log)")
          bytes.removeFirst(min(text.count, bytes.count))
        default:
          guard let expected = reader.wish.answer(bytes, isEnd: isEnd) else {
            #expect(reader.answers.isEmpty, "\(reader.wish) is answered too early: \(reader.answers), \(log)")
            return true
          }
          guard let answer = reader.answers.first else { return false }
          #expect(
            answer.text == expected.text && answer.code == expected.code,
            "\(reader.wish): \(answer) instead of \(expected), \(log)")
          bytes.removeFirst(expected.taken)
        }
        checked += 1
      }
      return true
    }
  }

  /// Sets one of the timeouts that readers have.
  private func set(_ timeout: Int, _ duration: Duration?, on stream: ByteStream) {
    switch timeout {
    case 0: stream.readTimeout = duration
    case 1: stream.idleTimeout = duration
    default: stream.totalTimeout = duration
    }
  }

  @Test("Readers in a line are answered in order, whoever of them leaves", arguments: 1...20)
  func model(seed: UInt64) async throws {
    try await withStream { loop, near, far in
      let draws = Draws(seed)
      let model = Model()
      for _ in 0..<50 {
        switch draws.draw(7) {
        case 0, 1:
          let reader = Reader(draws.wish)
          model.log.append("\(reader.wish)")
          model.readers.append(reader)
          reader.pending = reader.wish.ask(near) { reader.answers.append(($0, $1?.code)) }
        case 2:
          let waiting = model.readers.filter { $0.answers.isEmpty && !$0.isCancelled }
          if waiting.isEmpty { break }
          let reader = draws.one(of: waiting)
          model.log.append("cancel \(reader.wish)")
          reader.isCancelled = true
          reader.pending.cancel()
        case 3 where model.readers.allSatisfy({ !$0.answers.isEmpty }):
          // Without waiting.
          let before = near.unreadByteCount
          let text = try? near.tryRead(until: ";", limit: 3)
          if let text {
            model.log.append("try \(text)")
            _ = model.check()
            let expected = Wish.until(";", limit: 3).answer(model.bytes, isEnd: false)
            #expect(expected?.text == "\(text)", "\(model.log)")
            model.bytes.removeFirst(text.count + 1)
            #expect(near.unreadByteCount == before - text.count - 1)
          }
        case 4:
          let waiting = model.readers.filter { $0.answers.isEmpty && !$0.isCancelled }
          if waiting.isEmpty { break }
          model.log.append("timeout")
          for reader in waiting { reader.mayTimeOut = true }
          let timeout = draws.draw(3)
          set(timeout, .zero, on: near)
          try await loop.until { waiting.allSatisfy { !$0.answers.isEmpty } }
          set(timeout, nil, on: near)
        default:
          let text = draws.text
          model.log.append("+ \(text.debugDescription)")
          model.bytes += Array(text.utf8)
          try await far.write(Bytes(text)).value
        }
        for _ in 0..<draws.draw(4) { try await loop.sleep(for: .zero).value }
        if draws.draw(2) == 0 { try await loop.until { model.check() } }
      }
      model.log.append("end")
      model.isEnd = true
      far.close()
      try await loop.until { model.check() }
      // The rest is there for who comes late.
      try await loop.until { model.readers.allSatisfy { $0.answers.count == 1 } }
      let rest = try await near.readToEnd(limit: 1 << 20).value
      #expect(Array(rest) == model.bytes, "\(model.log)")
      #expect(model.readers.allSatisfy { $0.answers.count == 1 })
      #expect(near.unreadByteCount == 0)
    }
  }
}

extension Draws {
  fileprivate var wish: ReaderQueueModelTests.Wish {
    switch draw(9) {
    case 0: .next
    case 1: .exactly(draw(9))
    case 2: .peek(draw(6))
    case 3: .until(one(of: [";", "\r\n", "aab", "bb"]), limit: draw(7))
    case 4: .until(one(of: [";", "ab", "\r\n\r\n"]), limit: 50)
    case 5: .line(draw(8))
    case 6: .strictLine(draw(20))
    case 7: .into(1 + draw(5))
    default: draw(6) == 0 ? .rest(draw(30)) : .exactly(draw(3))
    }
  }

  fileprivate var text: String {
    (0...draw(6)).map { _ in one(of: ["a", "b", "a", "b", ";", "\r", "\n", "\r\n", "aab"]) }.joined()
  }
}
