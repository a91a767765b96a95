import Foundation
import Testing

/// The example in which many clients talk to each other.
@Suite(.enabled(if: Client.hasNetcat, Client.howToInstall)) final class ChatTests {
  /// What runs until the test has ended.
  private var programs: [RunningProgram] = []

  private func chat(_ arguments: String...) throws -> (RunningProgram, port: String) {
    let chat = try RunningProgram(example: "Chat", arguments)
    programs.append(chat)
    return (chat, try chat.port())
  }

  /// Enters the chat. The end of what the test writes is passed on (`-N`). The member's system keeps few
  /// bytes that the member doesn't read (`-I`).
  private func member(_ name: String, _ port: String) throws -> RunningProgram {
    let member = try RunningProgram(["nc", "-N", "-I", "4096", "127.0.0.1", port])
    #expect(try member.line() == "* your name?")
    try member.write("\(name)\n")
    #expect(try member.line() == "* welcome, \(name)")
    return member
  }

  @Test("What a member says, the others read")
  func talk() throws {
    let (chat, port) = try chat()
    let anna = try member("Anna", port)
    let ben = try member("Ben", port)
    #expect(try anna.line() == "* Ben has come")
    try anna.write("hello\n/who\n")
    #expect(try ben.line() == "Anna: hello")
    #expect(try anna.line() == "* here: Anna, Ben")
    try ben.write("/quit\n")
    #expect(try anna.line() == "* Ben has left")
    #expect(try ben.end() == ("", 0))
    chat.terminate()
    #expect(try anna.line() == "* the chat ends")
    #expect(try anna.end() == ("", 0))
    #expect(try chat.end() == ("ended; 0 members were cut off\n", 0))
  }

  @Test("A name is text, is nobody else's, and is asked for until it is")
  func names() throws {
    let (_, port) = try chat()
    let anna = try member("Anna", port)
    let output = try Client.run("printf '\\n\\a\\nAnna\\nBen\\n/quit\\n' | nc 127.0.0.1 \(port)")
    #expect(
      output == """
        * your name?
        * a name is a word or several; your name?
        * a name is a word or several; your name?
        * that name is taken; your name?
        * welcome, Ben

        """)
    #expect(try anna.line() == "* Ben has come")
    #expect(try anna.line() == "* Ben has left")
  }

  @Test("There are so many members and no more, and a line too long is the end of one")
  func limits() throws {
    let (_, port) = try chat("--max-members", "2", "--max-line", "10")
    let anna = try member("Anna", port)
    let ben = try member("Ben", port)
    #expect(try anna.line() == "* Ben has come")
    #expect(try Client.run("nc 127.0.0.1 \(port) < /dev/null") == "* there is no room, come back later\n")
    try ben.write("01234567890\n")
    #expect(try anna.line() == "* Ben has left")
    #expect(try ben.end().output == "")
  }

  /// A member who, once told to, says so many lines of a thousand bytes, or does so for ever.
  private func talker(_ count: Int?, _ port: String) throws -> RunningProgram {
    let line = String(repeating: "x", count: 1000)
    let lines = count.map { "yes \(line) | head -n \($0)" } ?? "yes \(line)"
    let talker = try RunningProgram([
      "bash", "-c",
      "{ echo Ben; read; \(lines); echo that was it; cat; } | nc -N 127.0.0.1 \(port)",
    ])
    #expect(try talker.line() == "* your name?")
    #expect(try talker.line() == "* welcome, Ben")
    return talker
  }

  @Test("A member who doesn't read holds up nobody, and is told how much was missed")
  func slowMember() throws {
    let (_, port) = try chat()
    let anna = try member("Anna", port)
    let slow = try member("Slow", port)
    // More than the system keeps for a connection.
    let count = 8000
    let ben = try talker(count, port)
    #expect(try slow.line() == "* Ben has come")
    try ben.write("\n")
    // Anna reads all of it, or is told what she has missed because this test is slow.
    var heard = 0
    while heard < count + 1, let line = try anna.line() {
      if line.hasPrefix("Ben: ") { heard += 1 }
      heard += missed(line) ?? 0
    }
    #expect(heard == count + 1)
    // Only now the slow member reads.
    var (read, missedBySlow) = (0, 0)
    while read + missedBySlow < count + 1, let line = try slow.line() {
      if line.hasPrefix("Ben: ") { read += 1 }
      missedBySlow += missed(line) ?? 0
    }
    #expect(read > 0 && missedBySlow > 0)
    #expect(read + missedBySlow == count + 1)
  }

  /// How many lines were missed, if the line tells that.
  private func missed(_ line: String) -> Int? {
    line.firstMatch(of: /^\* you have missed (\d+) lines$/).flatMap { Int($0.1) }
  }

  @Test("A member who doesn't read for too long is cut off")
  func cutOff() throws {
    let (_, port) = try chat("--patience", "1")
    let slow = try member("Slow", port)
    let ben = try talker(nil, port)
    #expect(try slow.line() == "* Ben has come")
    try ben.write("\n")
    #expect(try ben.line(containing: "has left") == "* Slow has left")
  }
}
