import UV

/// The members, and what they say to each other. All of them are on one loop, so nothing here needs a lock.
final class Room {
  private static let longestName = 32

  private let options: Chat
  private var members: [String: Member] = [:]
  /// Those who are connected, with or without a name.
  private var count = 0

  init(_ options: Chat) { self.options = options }

  /// Receives somebody who has connected, until they leave.
  func receive(_ connection: TCPConnection) async throws(UVError) {
    defer { connection.close() }
    // At the end of the chat everybody gets all that was said, and a goodbye.
    connection.endWithServer(farewell: "* the chat ends\n")
    connection.readTimeout = .seconds(options.idleTimeout)
    connection.writeTimeout = .seconds(options.patience)
    // Each line renews these. Until there is a name, and for the whole stay, there is a time that nothing
    // renews.
    connection.totalTimeout = .seconds(options.nameTimeout)
    guard count < options.maxMembers else {
      return try await connection.write("* there is no room, come back later\n").value
    }
    count += 1
    defer { count -= 1 }
    guard let member = try await enter(connection) else { return }
    // Whatever happens, the others are told.
    defer { leave(member) }
    connection.totalTimeout = .seconds(options.lifetime)
    while let line = try await connection.readLine(limit: options.maxLine).value {
      // What isn't text would disturb the terminals of the others.
      guard let text = String(validating: line, as: UTF8.self), !text.contains(where: isControl) else {
        member.send("* that was no text\n")
        continue
      }
      switch text {
      case "/quit":
        connection.totalTimeout = .seconds(options.patience)
        return try await connection.shutdown().value
      case "/who": member.send(Bytes("* here: \(members.keys.sorted().joined(separator: ", "))\n"))
      case "": break
      default: tell("\(member.name): \(text)\n", except: member)
      }
    }
  }

  /// Asks for a name; nil if there is none.
  private func enter(_ connection: TCPConnection) async throws(UVError) -> Member? {
    try await connection.write("* your name?\n").value
    while true {
      let line = try await connection.readLine(limit: Self.longestName).value
      guard let line else { return nil }
      guard let name = String(validating: line, as: UTF8.self), !name.isEmpty,
        !name.contains(where: { isControl($0) || $0 == "," })
      else {
        try await connection.write("* a name is a word or several; your name?\n").value
        continue
      }
      if members[name] != nil {
        try await connection.write("* that name is taken; your name?\n").value
        continue
      }
      let member = Member(name, connection, options)
      members[name] = member
      member.send(Bytes("* welcome, \(name)\n"))
      tell("* \(name) has come\n", except: member)
      return member
    }
  }

  private func leave(_ member: Member) {
    members[member.name] = nil
    tell("* \(member.name) has left\n", except: member)
  }

  /// Sends a line to all members but one. The bytes are in memory once, for however many members.
  private func tell(_ line: String, except speaker: Member) {
    let bytes = Bytes(line)
    for member in members.values where member !== speaker { member.send(bytes) }
  }

  private func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { $0.value < 32 || 0x7f...0x9f ~= $0.value }
  }
}
