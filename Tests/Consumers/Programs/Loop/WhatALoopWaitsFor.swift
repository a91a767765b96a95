// Shows what a loop waits for: its tasks, handles, requests and timers, as values, as text and as JSON.
import UV

enum WhatALoopWaitsFor: Program {
  static func main() throws {
    try EventLoop.run { loop in
      try loop.printSnapshot(on: .user1, limit: 20)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      let reader = loop.spawn { try? await server.next().value }
      let sleeper = loop.spawn { try? await loop.sleep(for: .untilCancelled).value }
      let worker = loop.spawn { try? await loop.files.stat("/").timeout(after: .seconds(60)).value }
      let timer = try LoopTimer(loop)
      try timer.start(after: .seconds(60)) {}
      _ = await worker.value
      try await loop.sleep(for: .milliseconds(1)).value

      let snapshot = loop.snapshot()
      print(snapshot.isRunning, snapshot.isStopping, snapshot.isShuttingDown, snapshot.microtaskCount)
      print(snapshot.tasks.count, snapshot.tasks.omittedCount, snapshot.timers.count)
      for task in snapshot.tasks.entries.sorted(by: { $0.place < $1.place }) {
        let place = task.place.split(separator: "/").last ?? ""
        let file = String(place.prefix { $0 != ":" })
        print(file, task.state, task.isCancelled, task.age < .seconds(60), words(task.wait, client, server))
      }
      for handle in snapshot.handles.entries {
        print(
          handle.type, handle.isListener, handle.isAccepted, handle.isAwaited, handle.isActive,
          handle.keepsLoopRunning,
          handle.isClosing, handle.queuedByteCount, handle.age < .seconds(60), handle.dueIn != nil,
          handle.fileDescriptor != nil, handle.localAddress != nil, handle.peerAddress != nil,
          handle.subject ?? "-")
      }
      print(snapshot.timers.entries.allSatisfy { $0.dueIn > .seconds(50) && $0.keepsLoopRunning })
      print(snapshot.poolRequests.count, snapshot.requests.entries.count)
      print(
        snapshot.json.contains(#""operation":"read""#),
        "\(snapshot)".contains("← \(try client.localAddress())"))

      client.close()
      sleeper.cancel()
      timer.close()
      listener.close()
      print(await reader.value == nil, await sleeper.value == nil, await worker.value == nil)
    }
    try group()
    states()
  }

  private static func words(_ wait: WaitSnapshot?, _ client: TCPConnection, _ server: TCPConnection) -> String
  {
    guard let wait, wait.age < .seconds(60) else { return "-" }
    let remaining = wait.remaining.map { $0 > .seconds(50) ? ", most of a minute left" : ", little left" }
    return wait.operation + (wait.subject == nil ? "" : " of a connection") + (remaining ?? "")
  }

  private static func group() throws {
    let group = try EventLoopGroup(count: 2)
    try EventLoop.run { _ in
      try await group.printSnapshots(on: .user1)
      let snapshots = await group.snapshots(limit: 5)
      print(snapshots.map(\.handles.count))
      _ = await group.shutdownGracefully(within: .seconds(1))
    }
  }

  /// The states of a task.
  private static func states() {
    print(TaskSnapshot.State.running, TaskSnapshot.State.ready, TaskSnapshot.State.elsewhere)
  }
}

// Prints:
// true false false 0
// 3 0 1
// WhatALoopWaitsFor.swift waiting false true read of a connection
// WhatALoopWaitsFor.swift waiting false true sleep, most of a minute left
// the body of run running false true -
// signal false false true true false false 0 true false false false false User defined signal 1
// tcp true false false true true false 0 true false true true false -
// tcp false false false false true false 0 true false true true true -
// tcp false true true true true false 0 true false true true true -
// timer false false false true true false 0 true true false false false -
// true
// 0 0
// true true
// true true false
// [1, 1]
// running ready elsewhere
