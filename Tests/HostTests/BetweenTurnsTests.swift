#if Everything
import CUV
import Foundation
import Testing
import UVTestSupport

@testable import UV

/// What a host does with a loop between two of its turns. The host asks the loop, or libuv, how long to wait: what is known at
/// once isn't kept waiting by a timer that is due much later, or by nothing at all.
@Suite struct BetweenTurnsTests {
  /// A loop that has had a turn, and things that wait on it.
  private final class Place {
    let loop: EventLoop
    let (near, far): (PipeConnection, PipeConnection)
    let source: CustomSource<Int>
    let socket: UDPSocket
    let log = Log<String>()
    var pending: [PendingRequest] = []
    var task: LoopTask<Void, Never>?
    let file: FileStream

    init(_ loop: EventLoop) throws {
      self.loop = loop
      (near, far) = try loop.pipes.socketPair()
      source = CustomSource(loop, "numbers")
      socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      file = try FileStream(loop.files.open(fileDescriptor: open("/dev/null", O_RDWR | O_CLOEXEC)))
    }

    /// Writes past the loop, as another program with the same socket would, until it is full.
    func fill() {
      let part = [UInt8](repeating: 1, count: 1000)
      while send(try! near.fileDescriptor(), part, part.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    /// Reads past the loop until the socket is empty.
    func empty() {
      var part = [UInt8](repeating: 0, count: 1000)
      while recv(try! far.fileDescriptor(), &part, part.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    func note<T>(_ result: Result<T, UVError>) { log.append(result.error?.name ?? "ok") }

    func close() {
      for request in pending { request.cancel() }
      task?.cancel()
      for stream in [near, far] { stream.close() }
      file.close()
      socket.close()
    }
  }

  /// What the host does. The first one of a pair goes before the last turn.
  private static let acts:
    [(name: String, before: @Sendable (Place) -> Void, act: @Sendable (Place) throws -> Void)] = [
      ("microtask", { _ in }, { place in place.loop.queueMicrotask { place.log.append("ok") } }),
      ("task", { _ in }, { place in place.loop.spawn { place.log.append("ok") } }),
      (
        "message", { _ in },
        { place in try place.loop.executor.execute { [log = place.log] _ in log.append("ok") } }
      ),
      ("sleep", { _ in }, { place in place.loop.sleep(for: .zero) { place.note($0) } }),
      ("short sleep", { _ in }, { place in place.loop.sleep(for: .milliseconds(1)) { place.note($0) } }),
      ("date", { _ in }, { place in place.loop.sleep(until: .now) { place.note($0) } }),
      (
        "cancelled sleep", { $0.pending.append($0.loop.sleep(for: .seconds(1000), $0.note)) },
        { $0.pending[0].cancel() }
      ),
      (
        "limit", { _ in },
        { place in place.loop.sleep(for: .seconds(1000)).timeout(after: .zero).start { place.note($0) } }
      ),
      (
        "cancelled limit",
        { place in
          place.pending.append(
            place.loop.sleep(for: .seconds(1000)).timeout(after: .seconds(1000)).start { place.note($0) })
        }, { $0.pending[0].cancel() }
      ),
      ("cancelled read", { $0.pending.append($0.near.next($0.note)) }, { $0.pending[0].cancel() }),
      (
        "cancelled frame", { $0.pending.append($0.near.readLine(limit: 9, $0.note)) },
        { $0.pending[0].cancel() }
      ),
      ("cancelled datagram", { $0.pending.append($0.socket.next($0.note)) }, { $0.pending[0].cancel() }),
      ("cancelled element", { $0.pending.append($0.source.next($0.note)) }, { $0.pending[0].cancel() }),
      (
        "cancelled task",
        { place in
          place.task = place.loop.spawn {
            _ = try? await place.loop.sleep(for: .seconds(1000)).value
            place.log.append("ok")
          }
        }, { $0.task!.cancel() }
      ),
      ("element", { $0.source.next($0.note) }, { $0.source.send(1) }),
      ("write", { _ in }, { $0.near.write("a", $0.note) }),
      (
        "gathered write", { _ in },
        {
          $0.near.write("a") { _ in }
          $0.near.write("b", $0.note)
        }
      ),
      (
        "gathered buffers", { _ in },
        {
          $0.near.write("a") { _ in }
          $0.near.write(["b", "c"], $0.note)
        }
      ),
      (
        "cancelled gathered write", { _ in },
        {
          $0.near.write("a") { _ in }
          $0.near.write("b", $0.note).cancel()
        }
      ),
      (
        "gathered write that is read", { $0.far.read(exactly: 2, $0.note) },
        {
          $0.near.write("a") { _ in }
          $0.near.write("b") { _ in }
        }
      ),
      (
        "shutdown", { _ in },
        {
          $0.near.write("a") { _ in }
          $0.near.write("b") { _ in }
          $0.near.shutdown($0.note)
        }
      ),
      (
        "drain", { _ in },
        {
          $0.near.write("a") { _ in }
          $0.near.write("b") { _ in }
          $0.near.drain($0.note)
        }
      ),
      (
        "write to a full socket", { $0.near.write(Bytes(repeating: 1, count: 1 << 20), $0.note) },
        { place in place.far.start { _ in } }
      ),
      (
        "write to a socket that was full", { $0.fill() },
        {
          $0.near.write("x", $0.note)
          $0.empty()
        }
      ),
      ("write to a file", { _ in }, { $0.file.write("x", $0.note) }),
      ("read of a file", { _ in }, { $0.file.next($0.note) }),
      ("close of a file", { _ in }, { $0.file.close($0.note) }),
      ("close", { _ in }, { $0.near.close($0.note) }),
      ("close of the other end", { $0.near.next($0.note) }, { $0.far.close() }),
      ("close under a reader", { $0.near.next($0.note) }, { $0.near.close() }),
      ("datagram", { _ in }, { try $0.socket.send("x", to: $0.socket.localAddress(), $0.note) }),
      ("refused write", { $0.near.shutdown { _ in } }, { $0.near.write("x", $0.note) }),
      ("file", { _ in }, { place in place.loop.files.stat("/") { place.note($0) } }),
      ("work", { _ in }, { place in place.loop.work({}) { place.note($0) } }),
      (
        "read timeout", { $0.near.readLine(limit: 9, $0.note) },
        { place in place.near.readTimeout = .zero }
      ),
    ]

  /// Waits as a host does, for as long as it was said, and at most some seconds. Says whether it has found anything to do.
  private static func wait(_ descriptor: Int32, _ timeout: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let isLong = timeout < 0 || timeout > 5000
    return poll(&entry, 1, isLong ? 5000 : timeout) > 0 || !isLong
  }

  @Test(
    "What a host begins or ends between two turns is done without waiting for something else",
    arguments: acts.map(\.name), [false, true])
  func ownLoop(name: String, hasTimer: Bool) async throws {
    try await withThread {
      let (_, before, act) = Self.acts.first { $0.name == name }!
      let loop = try EventLoop()
      let place = try Place(loop)
      let other = hasTimer ? loop.sleep(for: .untilCancelled) { _ in } : nil
      before(place)
      for _ in 0..<3 { _ = try loop.runNoWait() }
      #expect(place.log.values == [])
      try act(place)
      for _ in 0..<100 where place.log.values.isEmpty {
        let timeout =
          loop.backendTimeout.map { Int32(clamping: Int64(($0 / .milliseconds(1)).rounded(.up))) } ?? -1
        guard Self.wait(loop.backendFD, timeout) else {
          Issue.record("\(name): the host waits \(timeout) ms for nothing")
          break
        }
        _ = try loop.runNoWait()
      }
      #expect(place.log.values.count == 1, "\(name)")
      other?.cancel()
      place.close()
      while try loop.runNoWait() {}
      loop.shutdown()
    }
  }

  @Test(
    "So it is on a loop of the host's own, whose libuv alone it asks", arguments: acts.map(\.name),
    [false, true])
  func adoptedLoop(name: String, hasTimer: Bool) async throws {
    try await withHost { host in
      let (_, before, act) = Self.acts.first { $0.name == name }!
      let loop = try EventLoop(adopting: host.loop)
      let place = try Place(loop)
      // A message alone doesn't keep a host's loop running.
      let other = hasTimer || name == "message" ? loop.sleep(for: .untilCancelled) { _ in } : nil
      before(place)
      for _ in 0..<3 { host.turn() }
      #expect(place.log.values == [])
      try act(place)
      for _ in 0..<100 where place.log.values.isEmpty {
        guard Self.wait(uv_backend_fd(host.loop), uv_backend_timeout(host.loop)) else {
          Issue.record("\(name): the host waits \(uv_backend_timeout(host.loop)) ms for nothing")
          break
        }
        host.turn()
      }
      #expect(place.log.values.count == 1, "\(name)")
      other?.cancel()
      place.close()
      loop.detach()
      host.run()
    }
  }
}
#endif
