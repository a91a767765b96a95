import UV

/// The state of a conversation, and what is to be answered. It is a value, so that Swift checks once for each chunk of bytes,
/// and not at each of its steps, that nobody else uses it.
public struct Conversation: Sendable {
  private var parser: CommandParser
  /// The answers to the bytes that were taken last.
  public private(set) var answers = Answers()
  /// Whether the client has said goodbye, or something that can't be understood.
  public private(set) var isOver = false

  /// The arguments of a command may have `maxValue` bytes.
  public init(maxValue: Int) { parser = CommandParser(maxValue: maxValue) }

  /// Has the commands executed that are complete with these bytes, and gathers the answers.
  ///
  /// - Parameter execute: Executes a command: its name and arguments, the last of them alone if it came in pieces. It says whether the
  ///   client has said goodbye.
  public mutating func take(
    _ bytes: Bytes, by execute: (_ arguments: [Bytes], _ large: [Bytes], _ answers: inout Answers) -> Bool
  ) {
    // The answers before these have been written, so their memory is free.
    answers.removeAll()
    parser.append(bytes)
    do throws(ProtocolError) {
      while !isOver, try parser.next() {
        isOver = execute(parser.arguments, parser.largeArgument, &answers)
      }
    } catch {
      // The bytes that follow can't be understood either.
      answers.error("ERR Protocol error: \(error.message)")
      isOver = true
    }
  }
}
