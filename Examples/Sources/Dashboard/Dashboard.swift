// A group of loops that work, and the page that shows what they do: `Dashboard [PORT]`; open the address that it
// prints. A line `block` on the standard input blocks one of the loops, until another line comes.
import Foundation
import Synchronization
import UVDiagnostics
import UVStalls

/// Whether a loop is to be blocked.
let isHeld = Atomic(false)

@main struct Dashboard {
  static func main() throws {
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
    try EventLoop.run { loop in
      loop.name = "clients"
      try loop.configure(.lag)
      let group = try EventLoopGroup(count: 3)
      for (index, executor) in group.executors.enumerated() {
        try await executor.submit { loop throws(UVError) in
          loop.name = "server \(index + 1)"
          try loop.configure(.lag)
          try loop.watchStalls(longerThan: .milliseconds(50)) { _ in }
        }
      }
      let address = try await group.serve(host: "127.0.0.1", port: 0, balance: .roundRobin) { connection in
        do throws(UVError) {
          for try await question in connection {
            look(for: question.count)
            try await connection.write(question).value
          }
        } catch {
          // A client that leaves without its answer resets the connection.
          if error.code != .connectionReset { print(error) }
        }
      }

      var diagnostics = group.diagnostics
      diagnostics.executors.append(loop.executor)
      let page = try diagnostics.listen(on: .port(port))
      try await loop.standardOutput.write(Bytes("\(page.url)\n")).value

      let clients = (1...60).map { number in
        loop.spawn { try await ask(address, every: .milliseconds(20 + number * number), loop) }
      }
      while let line = try await loop.standardInput.readLine(limit: 100).value {
        isHeld.store(line == "block", ordering: .relaxed)
        if line == "block" { try group.executors[0].execute { _ in convertPictures() } }
      }
      isHeld.store(false, ordering: .relaxed)
      for client in clients { client.cancel() }
      _ = await group.shutdownGracefully(within: .seconds(1))
      page.close()
    }
  }

  /// Asks again and again until the task is cancelled.
  private static func ask(_ address: SocketAddress, every pause: Duration, _ loop: EventLoop)
    async throws(UVError)
  {
    let connection = try await loop.tcp.connect(to: address).value
    while true {
      try await connection.write(Bytes(repeating: 0, count: .random(in: 10...3000))).value
      _ = try await connection.next().value
      try await loop.sleep(for: pause).value
    }
  }

  /// Takes up to 3 ms.
  @inline(never) private static func look(for count: Int) {
    let end = LoopClock.Instant.now.advanced(by: .microseconds(count))
    while LoopClock.Instant.now < end {}
  }
}

/// What a loop ought not to do.
@inline(never) func convertPictures() {
  while isHeld.load(ordering: .relaxed) { usleep(10_000) }
}
