import UVHTTP

/// The members, and what they say to each other. All of them are on one loop, so nothing here needs a lock.
final class Room {
  private static let longestName = 32

  private let options: Chat
  private var members: [String: Member] = [:]
  /// Those who are connected, with or without a name.
  private var count = 0

  init(_ options: Chat) { self.options = options }

  /// Receives somebody who has connected, until they leave.
  func receive(_ socket: WebSocket) async throws {
    guard count < options.maxMembers else {
      return try await socket.close(.tryAgainLater, reason: "there is no room, come back later").value
    }
    count += 1
    defer { count -= 1 }
    // Each line renews the time in which somebody may say nothing. These times are renewed by nothing.
    let member = try await socket.loop.withDeadline(.seconds(options.nameTimeout)) {
      try await self.enter(socket)
    }
    guard let member else { return }
    // Whatever happens, the others are told.
    defer { leave(member) }
    try await socket.loop.withDeadline(.seconds(options.lifetime)) {
      try await self.listen(to: member, socket)
    }
    try await socket.close().value
  }

  private func listen(to member: Member, _ socket: WebSocket) async throws {
    while let text = try await line(of: socket) {
      switch text {
      case "/quit": return
      case "/who": member.send("* here: \(members.keys.sorted().joined(separator: ", "))")
      case "": break
      case _ where text.contains(where: isControl): member.send("* that was no text")
      default: tell("\(member.name): \(text)", except: member)
      }
    }
  }

  /// Asks for a name; nil if there is none.
  private func enter(_ socket: WebSocket) async throws -> Member? {
    try await socket.send("* your name?").value
    while let name = try await line(of: socket) {
      if name.isEmpty || name.utf8.count > Self.longestName
        || name.contains(where: { isControl($0) || $0 == "," })
      {
        try await socket.send("* a name is a word or several; your name?").value
      } else if members[name] != nil {
        try await socket.send("* that name is taken; your name?").value
      } else {
        let member = Member(name, socket)
        members[name] = member
        member.send("* welcome, \(name)")
        tell("* \(name) has come", except: member)
        return member
      }
    }
    return nil
  }

  /// What somebody says next; nil if they have left. Bytes aren't said.
  private func line(of socket: WebSocket) async throws -> String? {
    switch try await socket.next().timeout(after: .seconds(options.idleTimeout)).value {
    case .text(let text)?: return text
    case .binary?:
      try await socket.close(.unacceptableData).value
      return nil
    case nil: return nil
    }
  }

  private func leave(_ member: Member) {
    members[member.name] = nil
    tell("* \(member.name) has left", except: member)
  }

  /// Sends a line to all members but one.
  private func tell(_ line: String, except speaker: Member) {
    for member in members.values where member !== speaker { member.send(line) }
  }

  private func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { $0.value < 32 || 0x7f...0x9f ~= $0.value }
  }
}
