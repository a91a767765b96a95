import UVHTTP

/// The members, and what they say to each other. All of them are on one loop, so nothing here needs a lock.
final class Room {
  private let options: Chat
  private let members = WebSocketRoom<String> { .text("* you have missed \($0) lines") }
  /// The connected members, with or without a name.
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
    let loop = socket.loop
    let name = try await loop.withDeadline(.seconds(options.nameTimeout)) { try await self.enter(socket) }
    guard let name else { return }
    // Whatever happens, the others are notified.
    defer {
      members.leave(name)
      members.send("* \(name) has left")
    }
    try await loop.withDeadline(.seconds(options.lifetime)) { try await self.listen(to: name, socket) }
    try await socket.close().value
  }

  private func listen(to name: String, _ socket: WebSocket) async throws {
    while let text = try await line(of: socket) {
      switch text {
      case "/quit": return
      case "/who": members.send("* here: \(members.names.sorted().joined(separator: ", "))", to: name)
      case "": break
      case _ where text.contains(where: isControl): members.send("* that was no text", to: name)
      default: members.send("\(name): \(text)", except: name)
      }
    }
  }

  /// Asks for a name; nil if there is none.
  private func enter(_ socket: WebSocket) async throws -> String? {
    try await socket.send("* your name?").value
    while let name = try await line(of: socket) {
      if name.isEmpty || name.utf8.count > 32 || name.contains(where: { isControl($0) || $0 == "," }) {
        try await socket.send("* a name is a word or several; your name?").value
      } else if !members.join(socket, as: name) {
        try await socket.send("* that name is taken; your name?").value
      } else {
        members.send("* welcome, \(name)", to: name)
        members.send("* \(name) has come", except: name)
        return name
      }
    }
    return nil
  }

  /// What somebody says next; nil if they have left. Bytes aren't said.
  private func line(of socket: WebSocket) async throws -> String? {
    switch try await socket.next().timeout(after: .seconds(options.idleTimeout)).value {
    case .text(let text)?: return text
    case .binary?: try await socket.close(.unacceptableData).value
    case nil: break
    }
    return nil
  }

  private func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { $0.value < 32 || 0x7f...0x9f ~= $0.value }
  }
}
