// Shows a loop and a group of loops as services, ended by their ServiceGroup.
import UV
import UVService

enum LoopAsAService: Program {
  static func main() throws {
    try EventLoop.run { _ in
      try await one()
      try await many()
      try await alone()
    }
  }

  /// A service that is told to end by another one, which has seen an answer.
  private static func one() async throws {
    let logger = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = EventLoopService(shutdownWithin: .seconds(5), logger: logger) { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      port.yield(Int(try listener.localAddress().port))
      for try await connection in listener {
        loop.spawn {
          do {
            while let line = try await connection.readLine(limit: 80).value {
              try await connection.write([line, "\n"]).value
            }
          } catch { print(error) }
        }
      }
      print("listener has ended")
    }
    let client = EventLoopService(logger: logger) { loop in
      let number = await ports.first { _ in true }!
      let connection = try await loop.tcp.connect(host: "127.0.0.1", port: number).value
      try await connection.write("hello\n").value
      print(try await connection.readLine(limit: 80).value ?? "nothing")
      connection.close()
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(service: server),
          .init(service: client, successTerminationBehavior: .gracefullyShutdownGroup),
        ], logger: logger))
    try await group.run()
  }

  private static func many() async throws {
    let logger = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
    let service = EventLoopGroupService(
      try EventLoopGroup(count: 2), shutdownWithin: .seconds(5), logger: logger
    ) { group in
      print("loops:", group.executors.count)
    }
    let task = Task { try await service.run() }
    task.cancel()
    try await task.value
    print("group has ended")
  }

  private static func alone() async throws {
    do {
      try await EventLoopService { loop in
        print("on the loop:", loop.executor.isOnLoop)
        throw UVError(.timedOut, operation: "work")
      }.run()
    } catch { print(error) }
  }
}

// Prints:
// hello
// listener has ended
// loops: 2
// group has ended
// on the loop: true
// work: connection timed out (ETIMEDOUT)
