import Foundation
import Testing
import UVHTTP

/// The example in which many clients talk to each other.
@Suite struct ChatTests {
  /// Runs a chat, and the test on a loop.
  private func withChat(
    _ options: String...,
    body: nonisolated(nonsending) @escaping @Sendable (EventLoop, _ port: String) async throws -> Void
  ) async throws {
    let (chat, port) = try RunningProgram.serving("Chat", options)
    try await withLoop { loop in try await body(loop, port) }
    chat.terminate()
    #expect(try chat.end() == ("ended; 0 members were cut off\n", 0))
  }

  /// Connects, without a name.
  private static func visit(_ loop: EventLoop, _ port: String) async throws -> WebSocket {
    try await loop.http.webSocket("ws://127.0.0.1:\(port)/chat").value
  }

  /// Enters the chat.
  static func enter(_ name: String, _ loop: EventLoop, _ port: String) async throws -> WebSocket {
    let socket = try await visit(loop, port)
    #expect(try await line(socket) == "* your name?")
    try await socket.send(.text(name)).value
    #expect(try await line(socket) == "* welcome, \(name)")
    return socket
  }

  /// What a member reads next; nil if the chat has closed the connection.
  static func line(_ socket: WebSocket) async throws -> String? {
    guard case .text(let text)? = try await socket.next().value else { return nil }
    return text
  }

  @Test("What a member says, the others read")
  func talk() async throws {
    try await withChat { loop, port in
      let anna = try await Self.enter("Anna", loop, port)
      let ben = try await Self.enter("Ben", loop, port)
      #expect(try await Self.line(anna) == "* Ben has come")
      try await anna.send("hello").value
      try await anna.send("/who").value
      #expect(try await Self.line(ben) == "Anna: hello")
      #expect(try await Self.line(anna) == "* here: Anna, Ben")
      try await ben.send("/quit").value
      #expect(try await Self.line(anna) == "* Ben has left")
      #expect(try await Self.line(ben) == nil)
      #expect(ben.peerClose?.code == .normal)
      try await anna.close().value
    }
  }

  @Test("At the end of the chat its members hear that it goes away")
  func end() async throws {
    let (chat, port) = try RunningProgram.serving("Chat", [])
    let processID = chat.processID
    try await withLoop { loop in
      let anna = try await Self.enter("Anna", loop, port)
      kill(processID, SIGTERM)
      #expect(try await Self.line(anna) == nil)
      #expect(anna.peerClose?.code == .goingAway)
    }
    #expect(try chat.end() == ("ended; 0 members were cut off\n", 0))
  }

  @Test("A name is text, is nobody else's, and is asked for until it is")
  func names() async throws {
    try await withChat { loop, port in
      let anna = try await Self.enter("Anna", loop, port)
      let ben = try await Self.visit(loop, port)
      #expect(try await Self.line(ben) == "* your name?")
      for name in ["", "\u{7}", "a,b", String(repeating: "x", count: 33)] {
        try await ben.send(.text(name)).value
        #expect(try await Self.line(ben) == "* a name is a word or several; your name?")
      }
      try await ben.send("Anna").value
      #expect(try await Self.line(ben) == "* that name is taken; your name?")
      try await ben.send("Ben").value
      #expect(try await Self.line(ben) == "* welcome, Ben")
      try await ben.close().value
      #expect(try await Self.line(anna) == "* Ben has come")
      #expect(try await Self.line(anna) == "* Ben has left")
      try await anna.close().value
    }
  }

  @Test("There are so many members and no more, and a line too long is the end of one")
  func limits() async throws {
    try await withChat("--max-members", "2", "--max-line", "10") { loop, port in
      let anna = try await Self.enter("Anna", loop, port)
      let ben = try await Self.enter("Ben", loop, port)
      #expect(try await Self.line(anna) == "* Ben has come")
      let third = try await Self.visit(loop, port)
      #expect(try await Self.line(third) == nil)
      #expect(third.peerClose?.reason == "there is no room, come back later")
      try await ben.send("01234567890").value
      #expect(try await Self.line(anna) == "* Ben has left")
      #expect(try await Self.line(ben) == nil)
      #expect(ben.peerClose?.code == .messageTooBig)
      try await anna.send(.binary("x")).value
      #expect(try await Self.line(anna) == nil)
      #expect(anna.peerClose?.code == .unacceptableData)
    }
  }

  @Test("A page of another site gets no connection")
  func origin() async throws {
    try await withChat { loop, port in
      for (origin, status) in [("http://127.0.0.1:\(port)", 101), ("http://example.com", 403), ("null", 403)]
      {
        let connection = try await loop.tcp.connect(host: "127.0.0.1", port: Int(port) ?? 0).value
        try await connection.write(
          Bytes(
            "GET /chat HTTP/1.1\r\nhost: 127.0.0.1:\(port)\r\norigin: \(origin)\r\nupgrade: websocket\r\n"
              + "connection: upgrade\r\nsec-websocket-version: 13\r\n"
              + "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        ).value
        let line = try await connection.readLine(limit: 100).value
        #expect(line.map { "\($0)".hasPrefix("HTTP/1.1 \(status) ") } == true, "\(origin)")
        connection.close()
      }
    }
  }

  /// How many lines were missed, if the line says that.
  private static func missed(_ line: String) -> Int? {
    line.firstMatch(of: /^\* you have missed (\d+) lines$/).flatMap { Int($0.1) }
  }

  /// Reads until so many lines were said by Ben or missed; how many of them were read.
  private static func hear(_ count: Int, _ socket: WebSocket) async throws -> (read: Int, missed: Int) {
    var (read, missed) = (0, 0)
    while read + missed < count, let line = try await line(socket) {
      if line.hasPrefix("Ben: ") { read += 1 }
      missed += Self.missed(line) ?? 0
    }
    return (read, missed)
  }

  @Test("A member who doesn't read holds up nobody, and hears how much was missed")
  func slowMember() async throws {
    // On a busy machine it takes longer than the usual patience until the member reads.
    try await withChat("--patience", "3600") { loop, port in
      let anna = try await Self.enter("Anna", loop, port)
      let slow = try await Self.enter("Slow", loop, port)
      let ben = try await Self.enter("Ben", loop, port)
      // More than the system keeps for a connection.
      let count = 20_000
      let text = String(repeating: "x", count: 1000)
      let talking = loop.spawn {
        for _ in 0..<count { try await ben.send(.text(text)).value }
        try await ben.send("that was it").value
      }
      let heard = try await Self.hear(count + 1, anna)
      #expect(heard.read + heard.missed == count + 1)
      try await talking.value
      // Only now the slow member reads.
      let heardLate = try await Self.hear(count + 1, slow)
      #expect(heardLate.read > 0 && heardLate.missed > 0)
      #expect(heardLate.read + heardLate.missed == count + 1)
      for socket in [anna, slow, ben] { try await socket.close().value }
    }
  }

  @Test("A member who doesn't read for too long is cut off")
  func cutOff() async throws {
    try await withChat("--patience", "1") { loop, port in
      let slow = try await Self.enter("Slow", loop, port)
      let ben = try await Self.enter("Ben", loop, port)
      let text = String(repeating: "x", count: 1000)
      let talking = loop.spawn { while true { try await ben.send(.text(text)).value } }
      #expect(try await Self.line(ben) == "* Slow has left")
      talking.cancel()
      _ = try? await talking.value
      withExtendedLifetime(slow) {}
      try await ben.close().value
    }
  }
}

/// The chat in a real browser.
@Suite(.enabled(if: Browser.isInstalled, "Debian's chromium isn't installed")) struct ChatInBrowserTests {
  @Test("Two people talk in a browser and out of it, and nobody's words become a part of the page")
  func talk() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swift-uv-browser-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let (chat, port) = try RunningProgram.serving("Chat", [])
    // A program is started outside of the loop's thread, which would keep what Foundation opens for it.
    let (chromium, debugger) = try Browser.start("http://127.0.0.1:\(port)/", directory)
    let processID = chat.processID
    try await withLoop { loop in
      let browser = try await Browser(debugger, loop)
      _ = try await browser.wait(for: "* your name?")
      try await browser.type("Anna")
      _ = try await browser.wait(for: "* welcome, Anna")
      let ben = try await ChatTests.enter("Ben", loop, port)
      _ = try await browser.wait(for: "* Ben has come")
      try await browser.type("hello from a browser")
      #expect(try await ChatTests.line(ben) == "Anna: hello from a browser")
      try await ben.send("<b>hello</b> from Ben").value
      _ = try await browser.wait(for: "Ben: <b>hello</b> from Ben")
      kill(processID, SIGTERM)
      #expect(try await ChatTests.line(ben) == nil)
      let text = try await browser.wait(for: "* the chat ends")
      let expected = [
        "* your name?", "> Anna", "* welcome, Anna", "* Ben has come", "> hello from a browser",
        "Ben: <b>hello</b> from Ben", "* the chat ends",
      ]
      #expect(text.split(separator: "\n").map(String.init) == expected)
      try await browser.close()
    }
    chromium.terminate()
    #expect(try chat.end() == ("ended; 0 members were cut off\n", 0))
  }
}
