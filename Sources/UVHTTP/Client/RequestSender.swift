#if HTTP || Everything
import HTTPTypes
import UV

/// Writes a request whose body comes bit by bit, or waits for leave. One part of the body is asked for when the
/// one before has left.
final class RequestSender {
  private let outgoing: OutgoingRequest
  private let head: Bytes
  private let connection: ClientConnection
  /// Called once, with the error of the body if there is one.
  private var done: ((UVError?) -> Void)?
  private var asking = PendingRequest()
  /// Whether the body waits for leave to be sent, and until when.
  private(set) var isWaiting = false
  private var leaveTimer = PendingRequest()
  private var rest: Int?
  /// The next step, for when the system has taken the last write.
  private var next: (() -> Void)?

  init(_ outgoing: OutgoingRequest, _ head: Bytes, _ connection: ClientConnection) {
    (self.outgoing, self.head) = (outgoing, head)
    self.connection = connection
  }

  /// - Parameter patience: How long to wait for leave to send the body, if the request asks for it.
  func begin(patience: Duration, _ done: @escaping (UVError?) -> Void) {
    self.done = done
    if outgoing.expectsContinue {
      isWaiting = true
      leaveTimer = connection.stream.loop.sleepQuietly(for: patience) { [weak self] result in
        if case .success = result { self?.goOn() }
      }
      connection.write(head)
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
    (done, next) = (nil, nil)
    leaveTimer.cancel()
    asking.cancel()
  }

  /// The system has taken what was written last.
  func didWrite() { next.take()?() }

  private func sendBody() {
    switch outgoing.body {
    case .whole(let bytes): write([bytes]) { [self] in finish(nil) }
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
      case .failure(let error): finish(error)
      case .success(let part?):
        // No chunk may be empty: that would be the last one.
        if part.isEmpty { return ask(parts) }
        if let rest {
          if part.count > rest { return finish(wrongLength) }
          self.rest = rest - part.count
        }
        write(rest == nil ? RequestBytes.chunk(part) : [part]) { [self] in ask(parts) }
      case .success(nil):
        if let rest { return finish(rest > 0 ? wrongLength : nil) }
        write([RequestBytes.end(parts.trailers?() ?? [:])]) { [self] in finish(nil) }
      }
    }
  }

  private var wrongLength: UVError {
    UVError(.invalidArgument, operation: "http", message: "the body has another length than was said")
  }

  private func write(_ buffers: [Bytes], then next: @escaping () -> Void) {
    self.next = next
    connection.write(buffers)
  }

  private func finish(_ error: UVError?) { done.take()?(error) }
}
#endif
