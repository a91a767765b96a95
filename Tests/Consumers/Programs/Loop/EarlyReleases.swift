// What nobody keeps: connections, timers, subscriptions and watchers that are dropped at once do no harm.
import UV
import UVFutures
import UVPromises

enum EarlyReleases: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      for _ in 0..<3 { _ = try await loop.tcp.connect(to: address).value }
      // The peers of connections that were dropped read the end.
      var ended = 0
      for _ in 0..<3 where try await listener.accept().value.read().value == nil { ended += 1 }
      print(ended)

      _ = try LoopTimer(loop)
      _ = try loop.signals(.user1)
      _ = loop.ticks(every: .milliseconds(1))
      _ = try loop.pipes.socketPair()
      _ = loop.sleep(for: .milliseconds(1)).promise()
      _ = loop.sleep(for: .untilCancelled).publisher().sink(
        receiveCompletion: { _ in }, receiveValue: { _ in })
      let task = loop.spawn {
        do {
          for try await _ in loop.ticks(every: .milliseconds(1)) {
            return print("returned from within")
          }
        } catch { print(error) }
      }
      await task.value
      for try await chunk in try loop.processes.spawn("/bin/echo", ["hi"], stdio: [.ignore, .pipe])
        .standardOutput!
      {
        print(String(decoding: chunk, as: UTF8.self), terminator: "")
      }
      for try await _ in try loop.iterations(.check) { break }
      loop.sleep(for: .zero) { _ in
        do { try loop.processes.kill(SystemInfo.processID, .user2) } catch { print(error) }
      }
      for try await signal in try loop.signals(.user2) {
        print(signal == .user2)
        break
      }
    }
  }
}

// Prints:
// 3
// returned from within
// hi
// true
