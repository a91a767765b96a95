import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: begin the operation of `what` and cancel it before it can end: a read of a silent peer, an accept nobody connects to, a
  /// connect to a listener without room, a stat, ten timers of 30 s. Under way: 1. Checked: that the error is a cancellation's; that no
  /// handle, request, timer or task is left.
  ///
  /// Who is notified, and when, is as in `timer-cancel`, except that a connect and a stat end in their callbacks in C, too. libuv's
  /// listener can't rest, so that in C `uv_poll` watches its socket, as the styles do. A thread of the pool may have taken a stat before it
  /// is cancelled: libuv then reports its end, and the styles of the cancellation. In async/await the ten timers are those of ten children
  /// of the task that is cancelled, once all of them have begun. A cancelled operation may leave work behind: a close, or a stat that has
  /// begun. The row waits for it after the window, and then nothing may be left.
  static let cancel = LoopWorkload(
    name: "cancel", summary: "begin an operation and cancel it",
    note: "async starts a task for each operation, which is what it has to cancel",
    revision: 2,
    parameters: [
      Parameter(
        "what", 0, 1, 2, 3, 4, in: 0...4,
        help:
          "0: a read, 1: an accept, 2: a connect, 3: a stat, 4: ten timers (async: a task with ten children)")
    ],
    // Whether a thread has begun with the stat when it is cancelled.
    timing: { $0.parameters["what"] == 3 ? Counter.ofWork : [] },
    check: .counted,
    rows: [(.c, CRow.loop("cancel"))] + Cancel.rows)
}

/// `cancel`: begin an operation and cancel it; `what` says which.
enum Cancel {
  static let rows = Style.all.dropFirst().map { style -> (style: Style, run: LoopRow) in
    let each = [
      CancelRows<PendingRead>.all, CancelRows<PendingAccept>.all, CancelRows<PendingConnect>.all,
      CancelRows<PendingStat>.all, CancelRows<PendingChildren>.all,
    ].map { rows in rows.first { $0.style == style }!.run }
    return (style, { task in try each[task.parameters["what"]](task) })
  }
}

/// A read of a connection whose peer is silent.
private struct PendingRead: PendingOperation {
  private let connection, peer: PipeConnection

  init(_: LoopTask, on loop: EventLoop) throws { (connection, peer) = try loop.pipes.socketPair() }

  func start(_ operations: LoopOperations) -> PendingRequest {
    connection.next { operations.endCancelled($0) }
  }

  func promise() -> Promise<Bytes?> { connection.next().promise() }

  func publisher() -> RequestPublisher<Bytes?> { connection.next().publisher() }

  func spawn() -> PendingTask {
    connection.loop.spawn { () throws(UVError) in _ = try await connection.next().value }
  }

  func end() {
    connection.close()
    peer.close()
  }
}

/// An accept of a listener to which nobody connects.
private struct PendingAccept: PendingOperation {
  private let listener: TCPListener

  init(_: LoopTask, on loop: EventLoop) throws {
    listener = try loop.tcp.listen(host: "127.0.0.1", port: 0, backlog: 1024)
  }

  func start(_ operations: LoopOperations) -> PendingRequest {
    listener.accept { operations.endCancelled($0) }
  }

  func promise() -> Promise<TCPConnection> { listener.accept().promise() }

  func publisher() -> RequestPublisher<TCPConnection> { listener.accept().publisher() }

  func spawn() -> PendingTask {
    listener.loop.spawn { () throws(UVError) in _ = try await listener.accept().value }
  }

  func end() { listener.close() }
}

/// A connect to a listener that has no room.
private struct PendingConnect: PendingOperation {
  static let isSampled = false

  private let loop: EventLoop
  private let address: SocketAddress
  private let full: FullListener

  init(_: LoopTask, on loop: EventLoop) throws {
    self.loop = loop
    full = try FullListener()
    address = try SocketAddress("127.0.0.1", port: full.port)
  }

  func start(_ operations: LoopOperations) -> PendingRequest {
    loop.tcp.connect(to: address) { operations.endCancelled($0) }
  }

  func promise() -> Promise<TCPConnection> { loop.tcp.connect(to: address).promise() }

  func publisher() -> RequestPublisher<TCPConnection> { loop.tcp.connect(to: address).publisher() }

  func spawn() -> PendingTask {
    loop.spawn { () throws(UVError) in _ = try await loop.tcp.connect(to: address).value }
  }

  func end() { full.close() }
}

/// A stat. A thread of the pool may have taken it before it is cancelled, and then ends it.
private struct PendingStat: PendingOperation {
  static let isSampled = false

  private let files: FileSystem
  private let loop: EventLoop
  private let path: String

  init(_ task: LoopTask, on loop: EventLoop) {
    files = loop.files
    self.loop = loop
    path = task.directory
  }

  func start(_ operations: LoopOperations) -> PendingRequest {
    files.stat(path) { operations.endCancelled($0) }
  }

  func promise() -> Promise<FileStatus> { files.stat(path).promise() }

  func publisher() -> RequestPublisher<FileStatus> { files.stat(path).publisher() }

  func spawn() -> PendingTask { loop.spawn { () throws(UVError) in _ = try await files.stat(path).value } }

  func end() {}
}

/// Ten timers that end together: in async/await those of a task's ten children.
private struct PendingChildren: PendingOperation {
  private static let count = 10

  private let loop: EventLoop
  private let length: Duration

  init(_ task: LoopTask, on loop: EventLoop) {
    self.loop = loop
    length = task.timeout
  }

  func start(_ operations: LoopOperations) -> PendingRequest {
    var left = Self.count
    let timers = (0..<Self.count).map { _ in
      loop.sleep(for: length) { result in
        left -= 1
        if left == 0 { operations.endCancelled(result) }
      }
    }
    return PendingRequest { for timer in timers { timer.cancel() } }
  }

  func promise() -> Promise<Void> {
    when(fulfilled: (0..<Self.count).map { _ in loop.sleep(for: length).promise() })
  }

  func publisher() -> some LoopPublisher<Void, UVError> {
    (0..<Self.count).publisher.flatMap { [loop, length] _ in loop.sleep(for: length).publisher() }
  }

  func spawn() -> PendingTask {
    loop.spawn { () throws(UVError) in
      do {
        try await loop.withTasks { tasks in
          for _ in 0..<Self.count {
            tasks.spawn { () throws(UVError) in try await loop.sleep(for: length).value }
          }
        }
      } catch { throw error as! UVError }
    }
  }

  /// A group's tasks begin in parts of their own.
  var hasBegun: Bool { loop.statistics.timers == Self.count }

  func end() {}
}

/// A listener that has no room.
private final class FullListener {
  private var full = bench_full_listener()

  init() throws {
    let error = bench_full_listener_open(&full)
    guard error == 0 else { throw WrongWork("no listener could be filled: error \(error)") }
  }

  var port: Int { Int(full.port) }

  func close() { bench_full_listener_close(&full) }
}
