import Testing
import UV

/// A snapshot as a text, to the letter.
@Suite struct SnapshotTextTests {
  @Test func `Each entry is a line, in columns as wide as the longest text of theirs`() {
    var snapshot = LoopSnapshot()
    (snapshot.name, snapshot.isRunning, snapshot.microtaskCount) = ("loop 1", true, 12_345)
    let path = String(repeating: "p", count: 60)
    snapshot.poolRequests = SnapshotList(
      [
        WaitSnapshot(operation: "fs_open", subject: "/etc/passwd", age: .milliseconds(3200)),
        WaitSnapshot(operation: "work", age: .milliseconds(7)),
      ], count: 1202)
    snapshot.requests = SnapshotList([
      WaitSnapshot(operation: "connect", subject: path, age: .milliseconds(2), remaining: .milliseconds(50))
    ])
    snapshot.timers = SnapshotList([
      TimerSnapshot(dueIn: .milliseconds(5)),
      TimerSnapshot(dueIn: .milliseconds(1500), keepsLoopRunning: false),
      TimerSnapshot(dueIn: .milliseconds(2000)),
    ])
    var listener = HandleSnapshot(type: .tcp, age: .milliseconds(4))
    (listener.isListener, listener.isAwaited, listener.isActive, listener.keepsLoopRunning) = (
      true, true, true, true
    )
    listener.localAddress = "127.0.0.1:80"
    var connection = HandleSnapshot(type: .tcp, age: .milliseconds(3))
    (connection.isAccepted, connection.queuedByteCount, connection.retransmissionCount) = (true, 1_234_567, 2)
    (connection.localAddress, connection.peerAddress) = ("127.0.0.1:80", "127.0.0.1:1024")
    snapshot.handles = SnapshotList([listener, connection])
    #expect(
      snapshot.description == """
        loop 1: running, 12,345 microtasks wait
        handles: 2
              4 ms  tcp 127.0.0.1:80                   listener, accepts
              3 ms  tcp 127.0.0.1:80 ↔ 127.0.0.1:1024  accepted, 1,234,567 bytes to write, 2 packets sent again, \
        doesn't keep the loop running
        thread pool: 1,202
             3.2 s  fs_open /etc/passwd
              7 ms  work
          and 1,200 more
        requests: 1
              2 ms  connect \(path), 50 ms left
        timers: 3
           in 5 ms
          in 1.5 s  doesn't keep the loop running
          in 2.0 s
        """)
    snapshot.hasAnswered = false
    #expect(snapshot.description.hasPrefix("loop 1: hasn't answered"))
    #expect(LoopSnapshot().description == "event loop: not running")
  }
}
