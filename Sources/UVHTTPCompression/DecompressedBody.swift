#if HTTP || Everything
import UVHTTP

extension HTTPExchange {
  /// The body of the request as it was before the client compressed it (`Content-Encoding`).
  ///
  /// ```swift
  /// let text = try await exchange.decompressedBody(limit: 1 << 20).readToEnd(limit: 1 << 20).value
  /// ```
  ///
  /// It fails as `body` does, and with `messageTooLong` beyond the limit, `invalidArgument` if the bytes aren't
  /// what their format says, and `endOfFile` if some are missing. An exchange that is then dropped is answered
  /// with 413 or 400, and with 415 if this has thrown. Read either this body or `body`.
  ///
  /// - Parameter limit: The most bytes that there may be once they are restored, 0 or more, compressed or not.
  ///   A megabyte of a client can become a gigabyte.
  /// - Throws: `notSupported` for another format than `gzip` and `deflate`, and for several. An answer of your own, 415, should
  ///   have `Accept-Encoding: gzip, deflate`.
  ///
  /// RFC 9110, 8.4, says what the field means.
  public func decompressedBody(limit: Int) throws(UVError) -> HTTPBody {
    try BodyDecoder.body(body, request.headerFields, limit)
  }
}

extension HTTPClientResponse {
  /// The body of the answer as it was before the server compressed it (`Content-Encoding`).
  ///
  /// ```swift
  /// var request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/")
  /// request.headerFields[.acceptEncoding] = HTTPCompression.accepted
  /// let answer = try await client.send(request).value
  /// let text = try await answer.decompressedBody(limit: 1 << 20).readToEnd(limit: 1 << 20).value
  /// ```
  ///
  /// It fails as `body` does, and with `messageTooLong` beyond the limit, `invalidArgument` if the bytes aren't
  /// what their format says, and `endOfFile` if some are missing. Read either this body or `body`.
  ///
  /// - Parameter limit: The most bytes that there may be once they are restored, 0 or more, compressed or not.
  /// - Throws: `notSupported` for another format than `gzip` and `deflate`, and for several.
  ///
  /// RFC 9110, 8.4, says what the field means.
  public func decompressedBody(limit: Int) throws(UVError) -> HTTPBody {
    try BodyDecoder.body(body, headerFields, limit)
  }
}

/// Reads a compressed body while somebody asks for what it restores, and holds one part of it at most.
private final class BodyDecoder {
  private let encoded: HTTPBody
  /// Nil if the body isn't compressed.
  private let inflater: Inflater?
  private let limit: Int
  private var count = 0
  private var reading: PendingRequest?
  /// Whether nobody asks any more, and the read was cancelled for that.
  private var isPaused = false

  private init(_ encoded: HTTPBody, _ inflater: Inflater?, _ limit: Int) {
    (self.encoded, self.inflater, self.limit) = (encoded, inflater, limit)
  }

  static func body(_ encoded: HTTPBody, _ fields: HTTPFields, _ limit: Int) throws(UVError) -> HTTPBody {
    let inflater: Inflater?
    do throws(UVError) {
      inflater = try coding(fields[.contentEncoding] ?? "").map { Inflater($0) }
    } catch {
      encoded.didNotKnowCoding()
      throw error
    }
    let decoder = BodyDecoder(encoded, inflater, limit)
    let source = CustomSource<Bytes>(encoded.loop, "read", resume: { _ in }, pause: { _ in decoder.pause() })
    // The source has the closure until its end.
    source.didDeliverAll = { [unowned source] in decoder.produce(source) }
    return HTTPBody(source, restoring: encoded)
  }

  /// The one coding that a field names; nil if it names none.
  private static func coding(_ field: String) throws(UVError) -> HTTPCompression.Coding? {
    let names = field.split { ", \t".contains($0) }.map(\.codingName).filter { $0 != "identity" }
    guard let name = names.first else { return nil }
    guard names.count == 1, let coding = HTTPCompression.Coding(rawValue: name) else {
      throw UVError(.notSupported, operation: "decompress", message: "the content coding is \(field)")
    }
    return coding
  }

  /// Sends one more part, now or when it has come.
  private func produce(_ source: CustomSource<Bytes>) {
    if reading != nil { return }
    do throws(UVError) {
      if let part = try inflater?.next(64 * 1024) { return send(part, source) }
    } catch { return fail(error, source) }
    reading = encoded.next { [self] in didRead($0, source) }
  }

  private func didRead(_ result: Result<Bytes?, UVError>, _ source: CustomSource<Bytes>) {
    let wasPaused = isPaused
    (reading, isPaused) = (nil, false)
    switch result {
    case .success(let part?):
      guard let inflater else { return send(part, source) }
      inflater.append(part)
      produce(source)
    case .success(nil):
      do throws(UVError) {
        try inflater?.finish()
        source.finish()
      } catch { fail(error, source) }
    case .failure(let error):
      guard wasPaused else { return source.finish(error) }
      if source.isWaitedFor { produce(source) }
    }
  }

  private func send(_ part: Bytes, _ source: CustomSource<Bytes>) {
    count += part.count
    if count <= limit {
      source.send(part)
    } else {
      encoded.didExceedLimit()
      source.finish(UVError(.messageTooLong, operation: "read", subject: "limit \(limit)"))
    }
  }

  private func fail(_ error: UVError, _ source: CustomSource<Bytes>) {
    if error.code != .outOfMemory { encoded.didFailToRestore(error.message) }
    source.finish(error)
  }

  private func pause() {
    guard let reading else { return }
    isPaused = true
    reading.cancel()
  }
}
#endif
