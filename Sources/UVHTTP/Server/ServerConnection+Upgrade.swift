import HTTPTypes
import UV

/// A connection that becomes another protocol's.
extension ServerConnection {
  /// Answers, and gives the stream away with what has been read of it beyond the request.
  func upgrade(_ response: HTTPResponse, _ done: @escaping Completion<ByteStream>) -> PendingRequest {
    let head = ResponseHead.bytes(
      response, .none, isLast: false, minorVersion: 1, date: DateField.ofLoop[loop].now)
    isAnswered = true
    return stream.write(Bytes(head)) { [self] result in
      if case .failure(let error) = result {
        close()
        return done(.failure(error))
      }
      if phase == .closed { return done(.failure(UVError(.cancelled, operation: "upgrade"))) }
      phase = .closed
      quiescing.cancel()
      (stream.readTimeout, stream.writeTimeout, stream.totalTimeout) = (nil, nil, nil)
      stream.unread(input)
      input = Bytes()
      server.didClose(self)
      done(.success(stream))
    }
  }
}
