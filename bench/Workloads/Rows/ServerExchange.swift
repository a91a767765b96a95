import BenchKit
import CBenchSupport
import UV

/// What a server answers on one connection.
protocol ServerExchange: SendableMetatype {
  /// How each conversation begins, if messages or bodies have `size` bytes.
  init(_ size: Int)
  /// What is to be written after these bytes have been read.
  mutating func answer(_ bytes: Bytes) -> Bytes
}

/// What is read is written back.
struct Echo: ServerExchange {
  init(_: Int) {}
  func answer(_ bytes: Bytes) -> Bytes { bytes }
}

/// Requests that are complete are answered together, by one write. An answer's bytes are made once.
struct HTTPHello: ServerExchange {
  private static let requestLine: Bytes = "GET /hello HTTP/1.1\r\n"
  private static let headEnd: Bytes = "\r\n\r\n"

  /// As many answers as there may be requests at a time, one after the other.
  private let answers: Bytes
  private let length: Int
  /// The beginning of a request that isn't complete.
  private var rest = Bytes()

  init(_ size: Int) {
    var answers: UnsafeMutablePointer<CChar>?
    length = bench_http_answers(size, Int(BENCH_HTTP_PIPELINED), &answers)
    self.answers = Bytes(
      copying: UnsafeRawBufferPointer(start: answers, count: length * Int(BENCH_HTTP_PIPELINED)))
    free(answers)
  }

  mutating func answer(_ bytes: Bytes) -> Bytes {
    var bytes = rest.followed(by: bytes)
    var requests = 0
    while let end = bytes.firstRange(of: Self.headEnd)?.upperBound, bytes.starts(with: Self.requestLine) {
      requests += 1
      bytes = Bytes(bytes[end...])
    }
    rest = bytes
    return Bytes(answers[..<(requests * length)])
  }
}

extension Bytes {
  /// These bytes and then others. If these are none, nothing is copied.
  func followed(by others: Bytes) -> Bytes {
    guard !isEmpty else { return others }
    var both = BytesBuilder()
    both.append(self)
    both.append(others)
    return both.takeBytes()
  }
}
