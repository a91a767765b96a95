import CUV

/// Takes frames out of the bytes that have come.
extension UnreadBytes {
  typealias Outcome = Result<Bytes?, UVError>

  /// The reader's result; nil if more bytes must come first.
  @inline(__always)
  mutating func take(_ frame: ReadRequest) -> Outcome? {
    switch frame.kind {
    case .exactly where headCount == 0 && frame.count > 0 && frame.count <= tailCount:
      .success(take(frame.count))
    case .line where headCount == 0: takeLineOfTail(frame)
    default: takeOther(frame)
    }
  }

  @inline(never)
  private mutating func takeOther(_ frame: ReadRequest) -> Outcome? {
    guard frame.isValid else { return .failure(frame.invalid) }
    switch frame.kind {
    case .any: return isEmpty ? nil : .success(take(headCount == 0 ? tailCount : headCount))
    case .exactly: return take(exactly: frame.count).map { .success($0) }
    case .peek: return frame.count <= count ? .success(look(at: frame.count)) : nil
    case .until: return headCount == 0 ? takeUntilInTail(frame) : takeUntil(frame)
    case .skip: return skip(frame)
    case .line: return headCount == 0 ? takeLineOfTail(frame) : takeLine(frame)
    case .strictLine: return headCount == 0 ? takeStrictLineOfTail(frame) : takeLine(frame)
    case .rest: return count > frame.count ? .failure(frame.tooLong) : nil
    case .into: return isEmpty ? nil : .success(take(into: frame))
    case .proxyHeader: return takeProxyHeader()
    }
  }

  /// The reader's result if no more bytes come.
  mutating func takeAtEnd(_ frame: ReadRequest) -> Outcome {
    switch frame.kind {
    case .rest: .success(takeAll())
    case .skip where skippedCount > 0: .failure(frame.isCutShort(after: skippedCount + count))
    case _ where isEmpty: .success(nil)
    default: .failure(frame.isCutShort(after: count))
    }
  }

  /// Makes ready for the bytes that a reader lacks.
  mutating func prepare(for frame: ReadRequest) {
    switch frame.kind {
    case .any, .into: break
    case .exactly, .peek: awaitMore(capacity: frame.count, limit: frame.count)
    case .skip: dropSearched(frame)
    case .until, .line, .strictLine:
      awaitMore(capacity: nil, limit: frame.limit + frame.delimiterCount + 1)
      searchedCount = headCount
    case .rest: awaitMore(capacity: nil, limit: frame.limit + 1)
    case .proxyHeader: awaitMore(capacity: nil, limit: ProxyHeader.limit)
    }
  }

  private mutating func take(exactly count: Int) -> Bytes? {
    if count == 0 { return Bytes() }
    if headCount == 0 || count <= headCount { return count <= self.count ? take(count) : nil }
    return count <= self.count ? takeHead(andTail: count - headCount, dropping: 0) : nil
  }

  private mutating func takeProxyHeader() -> Outcome? {
    do throws(ProxyHeader.Malformed) {
      let start = look(at: min(count, ProxyHeader.limit))
      return try ProxyHeader.parse(start.span).map { .success(take($0.count)) }
    } catch { return .failure(UVError(.protocolError, operation: "read", message: error.reason)) }
  }

  private mutating func takeAll() -> Bytes {
    if headCount == 0 { return tailCount == 0 ? Bytes() : take(tailCount) }
    return takeHead(andTail: tailCount, dropping: 0)
  }

  /// Copies to the caller's memory. The result has that place and the number of bytes, and no memory.
  private mutating func take(into frame: ReadRequest) -> Bytes {
    let place = frame.delimiter!.start
    let bytes = take(min(frame.count, headCount == 0 ? tailCount : headCount))
    bytes.withUnsafeBytes {
      UnsafeMutableRawPointer(mutating: place).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    return Bytes(storage: nil, start: place, count: bytes.count)
  }

  // MARK: Lines

  @inline(__always)
  private mutating func takeLineOfTail(_ frame: ReadRequest) -> Outcome? {
    // The end of a line is one or two bytes.
    let window = frame.limit + 2
    guard let index = find(UInt8(ascii: "\n"), tailStart, min(tailCount, window)) else {
      return tailCount >= window || frame.count < 0 ? refuse(frame) : nil
    }
    let count = index > 0 && tailStart[index - 1] == UInt8(ascii: "\r") ? index - 1 : index
    return count <= frame.count ? .success(take(count, dropping: index + 1 - count)) : refuse(frame)
  }

  @inline(never)
  private func refuse(_ frame: ReadRequest) -> Outcome {
    .failure(frame.isValid ? frame.tooLong : frame.invalid)
  }

  private mutating func takeLine(_ frame: ReadRequest) -> Outcome? {
    let newline = UInt8(ascii: "\n")
    // Readers before may have had more put together than this line can have.
    let searchable = max(min(headCount, frame.limit + 2) - searchedCount, 0)
    if let index = find(newline, headStart + searchedCount, searchable) {
      return endLine(frame, headStart, searchedCount + index)
    }
    if let index = find(newline, tailStart, min(tailCount, max(frame.limit + 2 - headCount, 0))) {
      // All of the line comes into the head.
      _ = look(at: headCount + index + 1)
      return endLine(frame, headStart, headCount - 1)
    }
    return count >= frame.limit + 2 ? .failure(frame.tooLong) : nil
  }

  private mutating func takeStrictLineOfTail(_ frame: ReadRequest) -> Outcome? {
    let window = frame.limit + 2
    if let index = find(UInt8(ascii: "\n"), tailStart, min(tailCount, window)) {
      return endLine(frame, tailStart, index)
    }
    return tailCount >= window ? .failure(frame.tooLong) : nil
  }

  /// Takes the line that begins at an address, which is the head's or the tail's, and whose last byte is at
  /// an index from there.
  private mutating func endLine(_ frame: ReadRequest, _ start: UnsafePointer<UInt8>, _ index: Int) -> Outcome
  {
    let hasReturn = index > 0 && start[index - 1] == UInt8(ascii: "\r")
    let count = hasReturn ? index - 1 : index
    if frame.kind == .strictLine, !hasReturn || find(UInt8(ascii: "\r"), start, count) != nil {
      return .failure(frame.hasBareEnd)
    }
    return count <= frame.count ? .success(take(count, dropping: index + 1 - count)) : .failure(frame.tooLong)
  }

  // MARK: Delimiters

  /// Drops the bytes before a delimiter, and the delimiter. The result has the number of bytes, and no memory.
  private mutating func skip(_ frame: ReadRequest) -> Outcome? {
    let rest = ReadRequest(.until, frame.limit - skippedCount, frame.delimiter)
    switch headCount == 0 ? takeUntilInTail(rest) : takeUntil(rest) {
    case .success(let bytes?):
      return .success(Bytes(storage: nil, start: Bytes().start, count: skippedCount + bytes.count))
    case .failure: return .failure(frame.tooLong)
    case .success(nil), nil: return nil
    }
  }

  /// Drops what can't be a part of the delimiter.
  private mutating func dropSearched(_ frame: ReadRequest) {
    let dropped = max(count - (frame.delimiterCount - 1), 0)
    drop(dropped)
    skippedCount += dropped
    awaitMore(capacity: nil, limit: frame.delimiterCount)
    searchedCount = headCount
  }

  private mutating func takeUntilInTail(_ frame: ReadRequest) -> Outcome? {
    let (delimiter, window) = (frame.delimiter!, frame.limit + frame.delimiterCount)
    if let index = find(delimiter, tailStart, min(tailCount, window)) {
      return .success(take(index, dropping: delimiter.count))
    }
    return tailCount >= window ? .failure(frame.tooLong) : nil
  }

  private mutating func takeUntil(_ frame: ReadRequest) -> Outcome? {
    let (delimiter, window) = (frame.delimiter!, frame.limit + frame.delimiterCount)
    // In the head, from where a delimiter may have begun.
    let begin = max(searchedCount - delimiter.count + 1, 0)
    if let index = find(delimiter, headStart + begin, min(headCount, window) - begin) {
      return .success(take(begin + index, dropping: delimiter.count))
    }
    // With its first bytes at the head's end and its others at the tail's beginning.
    for inHead in (1..<max(delimiter.count, 1)).reversed() {
      let inTail = delimiter.count - inHead
      guard inHead <= headCount, inTail <= tailCount, headCount - inHead <= frame.count,
        isEqual(headStart + (headCount - inHead), delimiter.start, inHead),
        isEqual(tailStart, delimiter.start + inHead, inTail)
      else { continue }
      return .success(takeHead(dropping: inHead, andTail: inTail))
    }
    if let index = find(delimiter, tailStart, min(tailCount, max(window - headCount, 0))) {
      return .success(takeHead(andTail: index, dropping: delimiter.count))
    }
    return count >= window ? .failure(frame.tooLong) : nil
  }
}
