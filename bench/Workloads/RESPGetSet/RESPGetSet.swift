import BenchHarness
import CBenchSupport
import RedisCommands
import Synchronization
import UV

extension Workloads {
  /// One operation: GET of a key by Redis' protocol, or SET of one to `size` bytes. Under way: `pipelined` on each of `connections`, sent
  /// together. The row: executes the commands that are complete, on a table that all connections share; answers those that came together by
  /// one write.
  ///
  /// The rows in Swift have the parser and the store of the example RedisServer, the row in C a parser of its own and a table with open
  /// addressing. Of a hundred requests `sets` are SET. Each connection has 16 keys of its own, so that the load generator knows which value
  /// each GET must bring; while it warms up, each request is SET.
  static let respGetSet = ServerWorkload(
    name: "resp-get-set", summary: "GET or SET by Redis' protocol, of keys in memory",
    parameters: [
      connections(50, "connections, each with so many requests under way"),
      Parameter("pipelined", 1, 16, in: 1...16, help: "requests under way on a connection, sent together"),
      Parameter("sets", 50, in: 0...100, help: "requests in a hundred that set a key; the others get one"),
      Parameter("size", 64, in: 1...Int(BENCH_RESP_VALUE), help: "bytes of a value"),
    ],
    load: .resp,
    rows: Plain<RedisExchange>.rows(beside: "resp-get-set"))
}

/// GET and SET of Redis' protocol, by the parser and the store of the example RedisServer. Commands that came
/// together are answered together, by one write.
struct RedisExchange: ServerExchange {
  /// What all connections share. As in the example, a lock sees to it that one uses it at a time.
  private final class Keys: Sendable { let store = Mutex(Store()) }

  private let keys = Keys()
  private var conversation = Conversation(maxValue: 1 << 20)

  init(_: Int) {}

  mutating func answer(_ bytes: Bytes) -> Bytes {
    let execute: Conversation.Executor = { [keys] arguments, _, answers in
      guard let command = arguments.command, command.arity ~= arguments.count else {
        answers.error("ERR unknown command")
        return true
      }
      keys.store.withLock { $0.execute(command, arguments, &answers) }
      return false
    }
    conversation.take(bytes, by: execute)
    if !conversation.hasMore { return conversation.answerBytes }
    var portions = [conversation.answerBytes]
    while conversation.hasMore {
      conversation.takeMore(by: execute)
      portions.append(conversation.answerBytes)
    }
    return Bytes(joining: portions)
  }
}
