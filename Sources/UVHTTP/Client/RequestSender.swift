import UV

/// Writes a request and its body. One part of the body is asked for when the one before has left.
final class RequestSender {
  private let outgoing: OutgoingRequest
  private let stream: ByteStream
  private var done: Completion<Void>?
  private var asking = PendingRequest()
  private var rest: Int?
  /// Whether the body has failed, or has another length than was said. Nothing can mend that.
  private(set) var isBodyWrong = false

  init(_ outgoing: OutgoingRequest, _ stream: ByteStream) {
    self.outgoing = outgoing
    self.stream = stream
  }

  func begin(_ done: @escaping Completion<Void>) {
    self.done = done
    let head = RequestBytes.head(outgoing)
    switch outgoing.body {
    case .whole(let bytes):
      stream.write(bytes.isEmpty ? [head] : [head, bytes]) { [self] in finish($0) }
    case .parts(let next, let length):
      rest = length
      write([head]) { [self] in ask(next) }
    }
  }

  /// Sends no more.
  func stop() {
    done = nil
    asking.cancel()
  }

  private func ask(_ next: @escaping (@escaping Completion<Bytes?>) -> PendingRequest) {
    if done == nil { return }
    asking = next { [self] result in
      if done == nil { return }
      switch result {
      case .failure(let error): failBody(error)
      case .success(let part?):
        // No chunk may be empty: that would be the last one.
        if part.isEmpty { return ask(next) }
        if let rest {
          if part.count > rest { return failBody(wrongLength) }
          self.rest = rest - part.count
        }
        write(rest == nil ? RequestBytes.chunk(part) : [part]) { [self] in ask(next) }
      case .success(nil):
        if let rest {
          if rest > 0 { return failBody(wrongLength) }
          finish(.success(()))
        } else {
          write([RequestBytes.lastChunk]) { [self] in finish(.success(())) }
        }
      }
    }
  }

  private var wrongLength: UVError {
    UVError(.invalidArgument, operation: "http", message: "the body has another length than was said")
  }

  private func failBody(_ error: UVError) {
    isBodyWrong = true
    finish(.failure(error))
  }

  private func write(_ buffers: [Bytes], then next: @escaping () -> Void) {
    stream.write(buffers) { [self] result in
      if case .failure = result { finish(result) } else { next() }
    }
  }

  private func finish(_ result: Result<Void, UVError>) { done.take()?(result) }
}
