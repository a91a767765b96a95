import BenchHarness
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: a datagram of `size` bytes there and back. Under way: one of each of `connections` peers. The row: sends back what it
  /// receives, to where it came from.
  ///
  /// The row binds port 0 of 127.0.0.1, and receives one datagram in a system call. One without bytes says that a peer has ended. A
  /// datagram that is lost ends the run with an error, so that no more are under way than the sockets hold.
  static let udpEcho = ServerWorkload(
    name: "udp-echo", summary: "a datagram there and back",
    // The system drops what the sockets have no room for.
    parameters: [
      Parameter("connections", 50, in: 1...64, help: "peers, each with one datagram under way"),
      Parameter("size", 64, in: 1...1472, help: "bytes of a datagram"),
    ],
    load: .echo, transport: .udp,
    rows: UDPEcho.rows(beside: "udp-echo"))
}

/// `udp-echo`: a datagram is sent back to where it came from.
enum UDPEcho: ServerRows {
  static let callback = UDPService.callbacks { service, _, _ in
    service.socket.start { result in
      switch result {
      case .success(let datagram?):
        if service.takes(datagram) {
          service.socket.send(datagram.bytes, to: datagram.address, service.check)
        }
      case .success(nil): break
      case .failure(let error): service.fail(error)
      }
    }
  }

  static let promise = UDPService.callbacks { service, _, _ in
    service.socket.each { service.answer($0).promise() }.catch { service.fail($0) }
  }

  static let future = UDPService.callbacks { service, _, _ in
    service.subscription = service.socket.publisher()
      .flatMap(maxPublishers: .max(1)) { service.answer($0).publisher() }
      .sink(receiveCompletion: { service.end($0) }, receiveValue: {})
  }

  static let async = UDPService.task { service, _, _ in
    for try await datagram in service.socket where service.takes(datagram) {
      try await service.socket.send(datagram.bytes, to: datagram.address).value
    }
  }
}

/// What all Swift rows of `udp-echo` share: the socket, and what has come.
private final class UDPService: RowRun {
  /// Bound to a port of its own.
  let socket: UDPSocket
  /// Held by the future row.
  var subscription: AnyCancellable?

  private let task: ServerTask
  private var byteCount = 0
  private var ended = 0
  private var jobs: JobCount
  private var failure: (any Error)?

  /// Binds the socket, and names the address to the load generator.
  init(_ task: ServerTask, on loop: EventLoop) throws(UVError) {
    self.task = task
    socket = try loop.udp.bind(host: task.host, port: 0)
    jobs = JobCount(loop)
    task.listening(try socket.localAddress().port)
  }

  /// Whether the datagram is to be sent back. One without bytes says that its sender has ended; the last of
  /// them closes the socket.
  func takes(_ datagram: Datagram) -> Bool {
    byteCount += datagram.bytes.count
    if datagram.bytes.count > 0 { return true }
    ended += 1
    if ended == task.connections {
      jobs = JobCount(socket.loop).since(jobs)
      socket.close()
    }
    return false
  }

  /// A request that sends the datagram back if it is to be.
  func answer(_ datagram: Datagram) -> Request<Void> {
    if takes(datagram) { return socket.send(datagram.bytes, to: datagram.address) }
    return Request(socket.loop) { [socket] done in
      socket.loop.queueMicrotask { done(.success(())) }
      return PendingRequest()
    }
  }

  /// Notes a failure to send.
  func check(_ result: Result<Void, UVError>) {
    if case .failure(let error) = result { fail(error) }
  }

  /// Notes how the pipeline has ended.
  func end(_ completion: Subscribers.Completion<UVError>) {
    if case .failure(let error) = completion { fail(error) }
  }

  /// Notes the first failure, and closes the socket.
  func fail(_ error: any Error) {
    if failure == nil { failure = error }
    socket.close()
  }

  /// What was served, once the loop has ended.
  func report() throws -> ServerReport {
    if let failure { throw WrongWork("\(failure)") }
    return ServerReport(bytesRead: byteCount, bytesWritten: byteCount, jobs: jobs)
  }
}
