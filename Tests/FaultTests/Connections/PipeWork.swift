import Foundation
import UV

/// Pipes and Unix domain sockets, and handles passed through them.
final class PipeWork {
  private let loop: EventLoop
  private let directory: String
  private let ledger: Ledger
  private var listener: PipeListener?
  private var errors = 0

  init(_ loop: EventLoop, _ directory: String, _ ledger: Ledger) {
    self.loop = loop
    self.directory = directory
    self.ledger = ledger
  }

  func start() {
    passHandles()
    oneWay()
    bothWays()
    byAbstractName()
    loop.pipes.connect(path: "\(directory)/nobody", ledger.once("connect, meant"))
  }

  private func byAbstractName() {
    let name = "swift-uv-fault-\(getpid())"
    guard let listener = try? loop.pipes.listen(abstractName: name) else { return }
    loop.pipes.connect(
      abstractName: name,
      ledger.once("connect to a name") { [self] result in
        (try? result.get())?.close(ledger.once("the name's connection closes"))
        listener.close(ledger.once("the name's listener closes"))
      })
  }

  // MARK: Passing handles

  private func passHandles() {
    let path = "\(directory)/socket"
    let listener: PipeListener
    do throws(UVError) { listener = try loop.pipes.listen(path: path, passesHandles: true) } catch {
      // No call has failed: none of this would be tested.
      ledger.expect(error.code != .nameTooLong, "\(path) is too long for a socket: choose a shorter TMPDIR")
      return
    }
    self.listener = listener
    _ = try? listener.localPath()
    try? listener.chmod([.read, .write])
    listener.start { [self] result in if let connection = try? result.get() { serve(connection) } }
    loop.pipes.connect(path: path, passesHandles: true, ledger.once("connect") { [self] in send($0) })
    loop.pipes.connect(path: path, ledger.once("connect, cancelled")).cancel()
  }

  /// Answers each handle with a byte.
  private func serve(_ connection: PipeConnection) {
    connection.start { [self] result in
      if case .failure = result { errors += 1 }
      guard case .success(_?) = result, answerHandles(of: connection) else {
        connection.close(ledger.once("server's close"))
        return
      }
    }
  }

  private func answerHandles(of connection: PipeConnection) -> Bool {
    while connection.pendingHandleCount > 0 {
      guard accept(from: connection) else {
        errors += 1
        return false
      }
      connection.write("!", ledger.once("server's write") { [self] in closeIfFailed($0, connection) })
    }
    return true
  }

  private func accept(from connection: PipeConnection) -> Bool {
    switch connection.pendingHandleType {
    case .tcp: return (try? connection.acceptTCPListener())?.close() != nil
    case .udp: return (try? connection.acceptUDPSocket())?.close() != nil
    default:
      // A pipe's end, or something of which the system did not say what it is.
      guard let descriptor = try? connection.acceptFileDescriptor() else { return false }
      return close(descriptor) == 0
    }
  }

  private func send(_ result: Result<PipeConnection, UVError>) {
    guard let connection = try? result.get() else { return finish() }
    _ = try? connection.peerPath()
    pass("a", try? loop.tcp.listen(host: "127.0.0.1", port: 0), through: connection)
    pass("b", try? loop.udp.bind(host: "127.0.0.1", port: 0), through: connection)
    pass("c", (try? loop.pipes.pair())?.reading, through: connection)
    var received = 0
    connection.start { [self] result in
      if case .success(let part?) = result {
        received += part.count
        if received < 3 { return }
      }
      if case .failure = result { errors += 1 }
      if errors == 0 { ledger.expect(received == 3, "\(received) of 3 handles came back") }
      connection.stop()
      connection.close(ledger.once("close") { [self] _ in finish() })
    }
    // Nothing will come of it.
    if errors > 0 { connection.close() }
  }

  private func pass(_ name: Bytes, _ handle: (some PassableHandle)?, through connection: PipeConnection) {
    guard let handle else {
      errors += 1
      return
    }
    connection.write(
      name, passing: handle,
      ledger.once("write of a handle") { [self] result in
        handle.close(ledger.once("passed handle's close"))
        closeIfFailed(result, connection)
      })
  }

  private func finish() { listener?.close(ledger.once("listener's close")) }

  private func closeIfFailed(_ result: Result<Void, UVError>, _ connection: PipeConnection) {
    guard case .failure = result else { return }
    errors += 1
    connection.close()
  }

  // MARK: Ends that are known

  private func oneWay() {
    guard let (reading, writing) = try? loop.pipes.pair() else { return }
    copy(from: writing, to: reading) { writing.close(self.ledger.once("writer's close")) }
  }

  private func bothWays() {
    guard let (first, second) = try? loop.pipes.socketPair() else { return }
    try? first.setBlocking(false)
    copy(from: first, to: second) {
      first.shutdown(
        self.ledger.once("shutdown") { _ in first.close(self.ledger.once("writer's close")) })
    }
  }

  /// Writes to one end and reads from the other until its end.
  private func copy(
    from writer: PipeConnection, to reader: PipeConnection, _ endWriting: @escaping () -> Void
  ) {
    let bytes = Bytes((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ $0 >> 8) })
    var hasFailed = false
    var received = 0
    writer.write(
      bytes,
      ledger.once("write") { result in
        if case .failure = result { hasFailed = true }
        endWriting()
      })
    reader.start { [self] result in
      if case .success(let part?) = result {
        ledger.expect(part == Bytes(bytes.dropFirst(received).prefix(part.count)), "a pipe's bytes differ")
        return received += part.count
      }
      if case .failure = result { hasFailed = true }
      if !hasFailed {
        ledger.expect(received == bytes.count, "\(received) of \(bytes.count) bytes came back")
      }
      reader.close(ledger.once("reader's close"))
    }
  }
}
