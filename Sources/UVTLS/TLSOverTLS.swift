/// One TLS connection inside another. Bytes for the upper one pass through the lower one first.
final class TLSOverTLS: StreamFilter {
  private let lower: any StreamFilter
  private let upper: TLSSession
  /// How the lower connection has ended.
  private var ending: FilteredRead?

  init(lower: any StreamFilter, upper: TLSSession) {
    self.lower = lower
    self.upper = upper
  }

  // MARK: Reading

  func reserve() -> UnsafeMutableRawBufferPointer { lower.reserve() }

  func received(_ count: Int) { lower.received(count) }

  func advance() -> Bool {
    guard lower.advance() else { return false }
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { buffer in
      while ending == nil {
        switch lower.read(into: buffer) {
        case .bytes(let count, _):
          upper.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          // The buffer is used again.
          upper.endReceiving()
        case .wait: return
        case .end: ending = .failed(UVError(.tlsTruncated, operation: "read"))
        case .failed(let error): ending = .failed(error)
        }
      }
    }
    let isReady = upper.advance()
    if !isReady, case .failed(let error)? = ending { upper.handshake?.transportEnded(error) }
    return isReady
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> FilteredRead {
    let read = upper.read(into: buffer)
    guard let ending else { return read }
    return switch read {
    case .wait: ending
    case .bytes(let count, _): .bytes(count, isAll: false)
    case .end, .failed: read
    }
  }

  func endReceiving() {
    lower.endReceiving()
    upper.endReceiving()
  }

  func transportEnded(_ error: UVError?) -> UVError? { upper.transportEnded(error) }

  func serviceEnds() {
    lower.serviceEnds()
    upper.serviceEnds()
  }

  // MARK: Writing

  func seal(_ bytes: UnsafeRawBufferPointer) -> UVError? { upper.seal(bytes) }

  var output: UnsafeRawBufferPointer {
    if !upper.output.isEmpty {
      // If the lower connection has failed, nothing can leave.
      _ = lower.seal(upper.output)
      upper.dropOutput()
    }
    return lower.output
  }

  func dropOutput() { lower.dropOutput() }

  func end() -> Bool {
    let hasEnded = upper.end()
    _ = output
    return lower.end() || hasEnded
  }
}
