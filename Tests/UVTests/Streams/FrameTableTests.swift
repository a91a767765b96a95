import Testing

@testable import UV

/// Every kind of frame, over bytes that come in any parts, beside a model that looks at the whole. It needs no loop, so each
/// way to cut the bytes is tried.
@Suite struct FrameTableTests {
  /// What a reader gets, and how many bytes that takes; nil if they aren't known, as a `skip` that fails drops some.
  struct Answer: Equatable, CustomStringConvertible {
    let outcome: String
    let taken: Int?
    var description: String { "\(outcome.debugDescription), \(taken.map { "\($0)" } ?? "some") taken" }
  }

  /// The answer to a frame for bytes that have all come, and perhaps the end; nil if more must come.
  static func answer(_ frame: ReadRequest, _ bytes: [UInt8], isEnd: Bool) -> Answer? {
    func text(_ count: Int) -> String { String(decoding: bytes.prefix(count), as: UTF8.self) }
    func refuse(_ outcome: String) -> Answer {
      Answer(outcome: outcome, taken: frame.kind == .skip ? nil : 0)
    }
    let (limit, newline, carriageReturn) = (frame.count, UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    switch frame.kind {
    case .exactly, .peek:
      if bytes.count >= limit { return Answer(outcome: text(limit), taken: frame.kind == .peek ? 0 : limit) }
    case .until, .skip:
      let delimiter = Array(frame.delimiter!)
      for start in 0...limit where bytes.dropFirst(start).starts(with: delimiter) {
        let outcome = frame.kind == .skip ? "\(start) dropped" : text(start)
        return Answer(outcome: outcome, taken: start + delimiter.count)
      }
      if bytes.count >= limit + delimiter.count { return refuse("EMSGSIZE") }
    case .line, .strictLine:
      if let end = bytes.prefix(limit + 2).firstIndex(of: newline) {
        let count = end > 0 && bytes[end - 1] == carriageReturn ? end - 1 : end
        if frame.kind == .strictLine, count == end || bytes[..<count].contains(carriageReturn) {
          return refuse("EPROTO")
        }
        return count <= limit ? Answer(outcome: text(count), taken: end + 1) : refuse("EMSGSIZE")
      }
      if bytes.count >= limit + 2 { return refuse("EMSGSIZE") }
    case .rest:
      if bytes.count > limit { return refuse("EMSGSIZE") }
      if isEnd { return Answer(outcome: text(bytes.count), taken: bytes.count) }
    case .any, .into, .proxyHeader: return nil
    }
    return isEnd ? refuse(bytes.isEmpty ? "end" : "EOF") : nil
  }

  /// What the library's part answers, if the bytes come in these parts while the reader waits.
  static func read(
    _ frame: ReadRequest, _ parts: [[UInt8]], isPutTogether: Bool
  ) -> (answer: Answer, rest: [UInt8]) {
    var unread = UnreadBytes()
    var (outcome, whole): (UnreadBytes.Outcome?, [UInt8]) = (unread.take(frame), [])
    for (number, part) in parts.enumerated() {
      if outcome == nil { unread.prepare(for: frame) }
      unread.append(Bytes(part))
      whole += part
      if isPutTogether, number == 0 { unread.awaitMore(capacity: nil, limit: unread.count) }
      if outcome == nil { outcome = unread.take(frame) }
    }
    let result = outcome ?? unread.takeAtEnd(frame)
    let text =
      switch result {
      case .success(nil): "end"
      case .success(let bytes?) where frame.kind == .skip: "\(bytes.count) dropped"
      case .success(let bytes?): String(decoding: bytes, as: UTF8.self)
      case .failure(let error): error.name
      }
    var rest: [UInt8] = []
    while case .success(let bytes?)? = unread.take(ReadRequest(.any)) { rest += Array(bytes) }
    #expect(whole.suffix(rest.count) == rest[...], "the bytes that are left are the last ones")
    let isKnown = frame.kind != .skip || text.hasSuffix("dropped")
    return (Answer(outcome: text, taken: isKnown ? whole.count - rest.count : nil), rest)
  }

  static let texts = [
    "", "\n", "\r", "\r\n", "\n\r\n", "\r\r\n", "a", "abc;def", ";;;", "a-----b", "--", "aabaabaac",
    "one\r\ntwo\n",
    "one\rtwo\r\n", "one\ntwo\r\n", "h\r\n\r\n\r\nb", "h\r\n\r\r\n\r\nb", "a\r\n\r",
  ]

  /// Frames of all kinds whose limits are about a text's length, and whose delimiters begin somewhere in it, or nowhere.
  static func frames(of text: String) -> [ReadRequest] {
    let counts = [0, 1, 2, 3, 4, 100]
    var frames = counts.flatMap { count in
      [.exactly, .peek, .line, .strictLine, .rest].map { kind in ReadRequest(kind, count) }
    }
    let delimiters: [String] = [";", "\r\n", "\r\n\r\n", "--", "---", "aabaac", "aa", "\r\r\n"]
    for delimiter in delimiters where delimiter.utf8.first.map(text.utf8.contains) == true {
      for count in counts {
        frames.append(ReadRequest(.until, count, Bytes(delimiter)))
        frames.append(ReadRequest(.skip, count, Bytes(delimiter)))
      }
    }
    // These never come.
    for delimiter in ["!", "!?"] as [Bytes] {
      frames += [ReadRequest(.until, 100, delimiter), ReadRequest(.skip, 100, delimiter)]
    }
    return frames
  }

  @Test("A frame's answer depends on the bytes, and not on the parts in which they come", arguments: texts)
  func cuts(text: String) {
    let bytes = Array(text.utf8)
    for frame in Self.frames(of: text) {
      // The answer comes as soon as it is known.
      let known = (0...bytes.count).lazy.compactMap {
        Self.answer(frame, Array(bytes[..<$0]), isEnd: false)
      }.first
      let expected = known ?? Self.answer(frame, bytes, isEnd: true)!
      for first in 0...bytes.count {
        for second in first...bytes.count {
          let parts = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
          for isPutTogether in [false, true] where !isPutTogether || first > 0 {
            let (answer, _) = Self.read(frame, parts, isPutTogether: isPutTogether)
            guard answer != expected else { continue }
            Issue.record("\(frame.wish), \(frame.count), of \(parts): \(answer) instead of \(expected)")
            return
          }
        }
      }
    }
  }

  @Test(
    "Each byte comes by itself, and frames that follow each other share them without a gap", arguments: texts)
  func byteByByte(text: String) {
    let bytes = Array(text.utf8)
    for frame in Self.frames(of: text) {
      let (answer, rest) = Self.read(frame, bytes.map { [$0] }, isPutTogether: false)
      let known = (0...bytes.count).lazy.compactMap {
        Self.answer(frame, Array(bytes[..<$0]), isEnd: false)
      }.first
      let expected = known ?? Self.answer(frame, bytes, isEnd: true)!
      #expect(answer == expected, "\(frame.wish), \(frame.count)")
      if let taken = expected.taken { #expect(rest == Array(bytes[taken...]), "\(frame.wish)") }
    }
  }
}
