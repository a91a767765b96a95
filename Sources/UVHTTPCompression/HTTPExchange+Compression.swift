#if HTTP || Everything
import UVHTTP

extension HTTPExchange {
  /// Answers the request, with a body that is compressed if the client accepts that and it is worthwhile.
  ///
  /// A body of more than 16 KiB is compressed on libuv's thread pool, a shorter one on the loop's thread, in less
  /// than a millisecond at level 6.
  ///
  /// - Parameters:
  ///   - response: The status and the fields, as for `respond(_:_:)`. `Content-Type` is needed.
  ///   - body: The body as it is.
  ///   - compression: How to compress. A level that isn't 1 to 9 is 6.
  /// - Returns: A request that ends and fails as that of `respond(_:_:)`. If you cancel it while the pool
  ///   compresses, the exchange isn't answered yet.
  ///
  /// RFC 9110, 12.5.3, says how a coding is chosen.
  public func respond(
    _ response: HTTPResponse, _ body: Bytes, compression: HTTPCompression
  ) -> Request<Void> {
    Request(of: loop) { [self] in respond(response, body, compression: compression, $0) }
  }

  /// Answers the request with a compressed body; see ``respond(_:_:compression:)``.
  ///
  /// RFC 9110, 12.5.3, says how a coding is chosen.
  @discardableResult
  public func respond(
    _ response: HTTPResponse, _ body: Bytes, compression: HTTPCompression, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    var plain = response
    guard let coding = compression.coding(of: &plain, to: request, count: body.count) else {
      return respond(plain, body, done)
    }
    let level = compression.usableLevel
    let answer = { [self, plain] (compressed: Bytes?) in
      // A body that is random, or no memory to compress it.
      guard let compressed, compressed.count < body.count else { return respond(plain, body, done) }
      return respond(plain.compressed(by: coding), compressed, done)
    }
    if body.count <= 16 * 1024 { return answer(try? body.compressed(by: coding, level: level)) }
    var pending = PendingRequest()
    pending = loop.work({ try? body.compressed(by: coding, level: level) }) { result in
      switch result {
      case .success(let compressed): pending = answer(compressed)
      case .failure(let error): done(.failure(error))
      }
    }
    return PendingRequest { pending.cancel() }
  }

  /// Begins an answer whose body is written bit by bit, and compressed if the client accepts that and it is
  /// worthwhile.
  ///
  /// - Parameters:
  ///   - response: The status and the fields, as for `begin(_:length:)`. `Content-Type` is needed.
  ///   - compression: How to compress. A level that isn't 1 to 9 is 6.
  /// - Returns: The writer of the body, which has to be finished. If it is dropped before, the connection
  ///   breaks off.
  /// - Throws: `alreadyInProgress` if there is an answer, and `invalidArgument` for a status below 200, an
  ///   answer that has no body (204, 304), and a success of CONNECT.
  ///
  /// RFC 9110, 12.5.3, says how a coding is chosen.
  public func begin(
    _ response: HTTPResponse, compression: HTTPCompression
  ) throws(UVError) -> HTTPCompressedWriter {
    var plain = response
    let coding = compression.coding(of: &plain, to: request, count: nil)
    // The answer to HEAD has the fields alone.
    let deflater =
      request.method == .head ? nil : coding.flatMap { Deflater($0, level: compression.usableLevel) }
    guard let coding, deflater != nil || request.method == .head else {
      return HTTPCompressedWriter(try begin(plain), nil, isCompressing: false)
    }
    return HTTPCompressedWriter(try begin(plain.compressed(by: coding)), deflater, isCompressing: true)
  }
}

extension HTTPCompression {
  fileprivate var usableLevel: Int { 1...9 ~= level ? level : 6 }
}
#endif
