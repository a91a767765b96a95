import RedisCommands
import UV

/// GET and SET of Redis' protocol, by the parser and the store of the example RedisServer. Commands that came
/// together are answered together, by one write.
struct RedisExchange: ServerExchange {
  /// What all connections share.
  private final class Keys { var store = Store() }

  private let keys = Keys()
  private var conversation = Conversation(maxValue: 1 << 20)

  init(_: Int) {}

  mutating func answer(_ bytes: Bytes) -> Bytes {
    let execute: Conversation.Executor = { [keys] arguments, _, answers in
      guard let command = Command(arguments[0]), command.arity ~= arguments.count else {
        answers.error("ERR unknown command")
        return true
      }
      keys.store.execute(command, arguments, &answers)
      return false
    }
    conversation.take(bytes, by: execute)
    if !conversation.hasMore { return conversation.answers.bytes }
    var portions = [conversation.answers.bytes]
    while conversation.hasMore {
      conversation.takeMore(by: execute)
      portions.append(conversation.answers.bytes)
    }
    return Bytes(joining: portions)
  }
}
