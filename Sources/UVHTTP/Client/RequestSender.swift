import HTTPTypes
import UV

/// Writes a request and its body. One part of the body is asked for when the one before has left.
final class RequestSender {
  private let outgoing: OutgoingRequest
  private let stream: ByteStream
  private var done: Completion<Void>?
  private var asking = PendingRequest()
  /// Whether the body waits for leave to be sent, and until when.
  private(set) var isWaiting = false
  private var leaveTimer = PendingRequest()
  private var rest: Int?
  /// Whether the body has failed, or has another length than was said. Nothing can mend that.
  private(set) var isBodyWrong = false

  init(_ outgoing: OutgoingRequest, _ stream: ByteStream) {
    self.outgoing = outgoing
    self.stream = stream
  }

  /// - Parameter patience: How long to wait for leave to send the body, if the request asks for it.
  func begin(patience: Duration, _ done: @escaping Completion<Void>) {
    self.done = done
    let head = RequestBytes.head(outgoing)
    if outgoing.expectsContinue {
      isWaiting = true
      leaveTimer = stream.loop.sleepQuietly(for: patience) { [weak self] result in
        if case .success = result { self?.goOn() }
      }
      stream.write([head]) { [self] result in if case .failure = result { finish(result) } }
    } else if case .whole(let bytes) = outgoing.body {
      stream.write(bytes.isEmpty ? [head] : [head, bytes]) { [self] in finish($0) }
    } else {
      write([head]) { [self] in sendBody() }
    }
  }

  /// The server gives leave to send the body, or has said nothing for long enough.
  func goOn() {
    if !isWaiting { return }
    isWaiting = false
    leaveTimer.cancel()
    if done != nil { sendBody() }
  }

  /// Sends no more.
  func stop() {
    done = nil
    leaveTimer.cancel()
    asking.cancel()
  }

  private func sendBody() {
    switch outgoing.body {
    case .whole(let bytes): stream.write(bytes) { [self] in finish($0) }
    case .parts(let parts):
      rest = parts.length
      ask(parts)
    }
  }

  private func ask(_ parts: OutgoingRequest.Parts) {
    if done == nil { return }
    asking = parts.next { [self] result in
      if done == nil { return }
      switch result {
      case .failure(let error): failBody(error)
      case .success(let part?):
        // No chunk may be empty: that would be the last one.
        if part.isEmpty { return ask(parts) }
        if let rest {
          if part.count > rest { return failBody(wrongLength) }
          self.rest = rest - part.count
        }
        write(rest == nil ? RequestBytes.chunk(part) : [part]) { [self] in ask(parts) }
      case .success(nil):
        if let rest {
          if rest > 0 { return failBody(wrongLength) }
          finish(.success(()))
        } else {
          write([RequestBytes.end(parts.trailers?() ?? [:])]) { [self] in finish(.success(())) }
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
