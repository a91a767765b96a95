#if HTTP || Everything
import HTTPTypes
import UV

/// A connection that becomes another protocol's.
extension ServerConnection {
  /// Answers, and gives the stream away with what has been read of it beyond the request.
  func upgrade(
    _ number: Int, _ response: HTTPResponse, _ done: @escaping Completion<ByteStream>
  ) -> PendingRequest {
    // No other request is handed out beside it, so it is its turn.
    guard isTurn(number) else { return fail(endCode, done) }
    assert(reading != .underWay && answers.count == 1, "a request for another protocol isn't alone")
    flush()
    _ = ResponseHead(response, .none).append(to: &output, isLast: false, minorVersion: 1, date: memory.date)
    return stream.write(output.takeBytes()) { [self] result in
      if case .failure(let error) = result {
        close()
        return done(.failure(error))
      }
      if phase == .closed { return done(.failure(UVError(endCode, operation: "upgrade"))) }
      enter(.closed)
      (stream.readTimeout, stream.writeTimeout, stream.totalTimeout) = (nil, nil, nil)
      stream.unread(input.bytes)
      reportStay(number)
      letGo(areAnswered: true)
      done(.success(stream))
    }
  }
}
#endif
