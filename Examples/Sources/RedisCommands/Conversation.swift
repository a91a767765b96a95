import UV

/// The state of a conversation, and what is to be answered. It is a value, so that Swift checks once for each
/// chunk of bytes, and not at each of its steps, that nobody else uses it.
public struct Conversation: Sendable {
  private var parser: CommandParser
  /// The answers to the bytes that were taken last.
  public private(set) var answers = Answers()
  /// The same in one piece.
  public var answerBytes: Bytes { answers.bytes }
  /// Whether the client has said goodbye, or something that can't be understood.
  public private(set) var isOver = false

  /// The arguments of a command may have `maxValue` bytes.
  public init(maxValue: Int) { parser = CommandParser(maxValue: maxValue) }

  /// How many commands have been executed.
  public private(set) var commandCount = 0

  /// Whether there is more to answer before the client is read again: what was asked for is more than is
  /// written at once.
  public var hasMore: Bool { !isOver && answers.isFull && (answers.isInArray || parser.isInCommand) }
  /// Whether a command has begun, and hasn't come completely.
  public var isInCommand: Bool { !isOver && parser.isInCommand }
  /// How much memory a command that is under way holds, or its answer: about as many bytes.
  public var heldCount: Int { parser.heldCount + answers.heldCount }

  /// Executes a command: its name and arguments, the last of them alone if it came in pieces. It says whether
  /// the client has said goodbye.
  public typealias Executor = (_ arguments: Arguments, _ large: [Bytes], _ answers: inout Answers) -> Bool

  /// Has the commands executed that are complete with these bytes, and gathers the answers, up to a portion;
  /// see ``hasMore``.
  public mutating func take(_ bytes: Bytes, by execute: Executor) {
    // The answers before these have been written, so their memory is free.
    answers.removeAll()
    parser.append(bytes)
    goOn(execute)
  }

  /// Gathers the next portion of answers, once those before have been written.
  public mutating func takeMore(by execute: Executor) {
    answers.removeAll()
    answers.addElements()
    goOn(execute)
  }

  private mutating func goOn(_ execute: Executor) {
    do throws(ProtocolError) {
      while !isOver, !answers.isFull, try parser.next() {
        commandCount += 1
        isOver = execute(parser.arguments, parser.largeArgument, &answers)
      }
    } catch {
      refuse("Protocol error: \(error.message)")
    }
    // While the client thinks, or reads the answer, nothing is kept for it.
    parser.rest()
  }

  /// Answers with an error, and ends the conversation: the bytes that follow can't be understood either.
  public mutating func refuse(_ reason: String) {
    // In the middle of an array an error would be one of its elements.
    if answers.isInArray { answers.breakOff() } else { answers.error("ERR \(reason)") }
    isOver = true
  }

  /// Ends the conversation after the answers that are gathered, if the client has asked for nothing more.
  public mutating func finishIfIdle() { if !hasMore, !isInCommand { isOver = true } }
}
