// A loop ends in good order: by itself, on a signal, and at once on a second one.
import UV

enum EndsOfALoop: Program {
  static func main() throws {
    try gracefulShutdownOfALoop()
    try endOnASignal()
    try secondSignal()
    try signalsInAnArrayOfClosures()
  }

  /// Echoes what comes, once the loop is ending.
  static func serve(_ loop: EventLoop, _ listener: TCPListener, _ accepted: @escaping () -> Void) async {
    do {
      for try await connection in listener {
        accepted()
        loop.spawn {
          do {
            for try await chunk in connection {
              try await connection.quiescing().value
              try await connection.write(chunk).value
            }
          } catch { print("connection: \(error)") }
        }
      }
      print("the listener has ended")
    } catch {
      print("listener: \(error)")
    }
  }

  /// A single loop ends in good order: nobody new is accepted, and who is there is given time.
  private static func gracefulShutdownOfALoop() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let (connections, accepted) = AsyncStream.makeStream(of: Void.self)
      loop.spawn { await serve(loop, listener) { accepted.yield() } }
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      try await client.write("in flight").value
      for await _ in connections { break }
      loop.spawn {
        do {
          print(try await client.read().value == "in flight")
          client.close()
        } catch { print("client: \(error)") }
      }
      let report = try await loop.shutdownGracefully(within: .seconds(10)).value
      print("\(report.count) cut off", report.peers.isEmpty)
    }
  }

  /// A program that does its work until a signal ends the loop in good order.
  private static func endOnASignal() throws {
    try EventLoop.run { loop in
      loop.spawn {
        do {
          // The signal is watched for by the time that the loop waits.
          try await loop.sleep(for: .zero).value
          try loop.processes.kill(SystemInfo.processID, .user1)
        } catch { print(error) }
      }
      let report = try await loop.shutdownGracefully(onSignals: [.user1], within: .seconds(10)).value
      print("cut off: \(report.count)")
    }
  }

  /// The first signal ends a server in good order, and the second at once.
  private static func secondSignal() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      loop.shutdownGracefully(onSignals: [.user1, .user2], within: .seconds(1000)) { result in
        if case .success(let report) = result { print("cut off: \(report.count)") }
      }
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      for try await connection in listener {
        loop.spawn {
          do {
            try loop.processes.kill(SystemInfo.processID, .user1)
            try await connection.quiescing().value
            print("the server is ending")
            try loop.processes.kill(SystemInfo.processID, .user2)
          } catch { print(error) }
          _ = try? await connection.read().value
        }
      }
      // The listener has ended. The connection is about to be reset.
      _ = try? await client.read().value
      client.close()
    }
  }

  /// Signals are told to closures that are kept in an array; what nobody wants any more is stopped.
  private static func signalsInAnArrayOfClosures() throws {
    try EventLoop.runCallbacks { loop in
      var handlers: [() -> Void] = []
      for name in ["first", "second"] { handlers.append { print(name) } }
      var watchers: [SignalWatcher] = []
      for signal in [Signal.user1, .user2, .windowChange] {
        let watcher = try loop.signals(signal)
        watcher.start { result in
          guard case .success(let signal?) = result else { return }
          print(signal == watcher.signal, signal.rawValue > 0)
          handlers.forEach { $0() }
          watchers.forEach { $0.stop() }
          watchers.forEach { $0.close() }
        }
        watchers.append(watcher)
      }
      loop.sleep(for: .milliseconds(1)) { _ in
        do { try loop.processes.kill(SystemInfo.processID, .user2) } catch { print(error) }
      }
    }
    print("ended")
  }
}

// Prints:
// the listener has ended
// true
// 0 cut off true
// cut off: 0
// the server is ending
// cut off: 1
// true true
// first
// second
// ended
