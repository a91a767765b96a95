import CUV
import Foundation
import Testing
import UV
import UVTestSupport

@Suite(.serialized) struct TTYTests {
  private static func local(_ descriptor: Int32) -> tcflag_t {
    var attributes = termios()
    #expect(tcgetattr(descriptor, &attributes) == 0)
    return attributes.c_lflag & (tcflag_t(ECHO) | tcflag_t(ICANON))
  }

  @Test func linesAreReadAndWritten() async throws {
    try await withLoop { loop in
      let (control, descriptor) = try openPseudoTerminal()
      let (terminal, screen) = (try loop.tty(descriptor), try loop.tty(control))
      #expect(terminal.isReadable && terminal.isWritable)
      try await screen.write("typed\n").value
      #expect(try await terminal.next().value == "typed\n")
      // What was typed is shown, with the line's end as a terminal has it.
      var shown = ""
      while !shown.hasSuffix("\r\n") {
        shown += try await screen.next().value.map { String(decoding: $0, as: UTF8.self) } ?? ""
      }
      #expect(shown == "typed\r\n")
      try await terminal.write("answer\n").value
      #expect(try await screen.next().value == "answer\r\n")
      terminal.close()
      screen.close()
      // They remain the caller's.
      #expect(Foundation.close(descriptor) == 0)
      #expect(Foundation.close(control) == 0)
    }
  }

  @Test func theWindowHasASize() async throws {
    try await withLoop { loop in
      let (control, descriptor) = try openPseudoTerminal()
      var size = winsize(ws_row: 40, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
      #expect(ioctl(control, UInt(TIOCSWINSZ), &size) == 0)
      let terminal = try loop.tty(descriptor)
      #expect(try terminal.windowSize() == (columns: 132, rows: 40))
      try await terminal.close().value
      await expectError(.badDescriptor, of: try terminal.windowSize())
      await expectError(.badDescriptor, of: try terminal.setMode(.raw))
      Foundation.close(descriptor)
      Foundation.close(control)
    }
  }

  @Test func modes() async throws {
    try await withLoop { loop in
      let (control, descriptor) = try openPseudoTerminal()
      let normal = Self.local(descriptor)
      #expect(normal != 0)
      let (terminal, screen) = (try loop.tty(descriptor), try loop.tty(control))
      for mode in [TTY.Mode.raw, .normal, .io] {
        try terminal.setMode(mode)
        #expect(Self.local(descriptor) == (mode == .normal ? normal : 0))
      }
      // A key arrives without the end of its line, and is not shown.
      try await screen.write("k").value
      #expect(try await terminal.next().value == "k")
      try terminal.setMode(.normal)
      #expect(Self.local(descriptor) == normal)
      try terminal.setMode(.raw)
      // libuv remembers the first terminal of the process alone, which this one is when it runs by itself.
      try? TTY.resetMode()
      try terminal.setMode(.normal)
      terminal.close()
      screen.close()
      Foundation.close(descriptor)
      Foundation.close(control)
    }
  }

  @Test func `A terminal gets its mode back when it is closed, dropped, or left to its loop`() async throws {
    let (control, descriptor) = try openPseudoTerminal()
    let normal = Self.local(descriptor)
    try await withLoop { loop in
      let terminal = try loop.tty(descriptor)
      try terminal.setMode(.raw)
      #expect(Self.local(descriptor) == 0)
      try await terminal.close().value
      #expect(Self.local(descriptor) == normal)
      try { () throws(UVError) in try loop.tty(descriptor).setMode(.raw) }()
      #expect(Self.local(descriptor) == normal)
    }
    let thread = try await withThread {
      let loop = try EventLoop()
      let terminal = try loop.tty(descriptor)
      try terminal.setMode(.raw)
      #expect(Self.local(descriptor) == 0)
      loop.shutdown()
      withExtendedLifetime(terminal) {}
      return Self.local(descriptor)
    }
    #expect(thread == normal)
    Foundation.close(descriptor)
    Foundation.close(control)
  }

  @Test("A file that is sent to a terminal that blocks keeps no thread once the terminal is closed")
  func blocking() async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/a", SendfileTests.pattern(1 << 20)).value
      let file = try await loop.files.open("\(directory)/a").value
      let (control, descriptor) = try openPseudoTerminal()
      let terminal = try loop.tty(descriptor)
      try terminal.setBlocking(true)
      let log = Log<UVError.Code?>()
      terminal.sendfile(file, count: 1 << 20) { log.append($0.error?.code) }
      try await loop.sleep(for: .milliseconds(100)).value
      #expect(log.values == [])
      try await terminal.close().value
      #expect(log.values == [.cancelled])
      await #expect(throws: Never.self) { try await file.close().timeout(after: .seconds(5)).value }
      Foundation.close(descriptor)
      Foundation.close(control)
    }
  }

  @Test("A file that is sent to a terminal's controlling side comes whole, as its reader takes it")
  func controllingSideThatIsRead() async throws {
    try await withLoopAndDirectory { loop, directory in
      let bytes = SendfileTests.pattern(1 << 20)
      try await loop.files.writeFile("\(directory)/a", bytes).value
      let file = try await loop.files.open("\(directory)/a").value
      let (control, descriptor) = try openPseudoTerminal()
      let (terminal, screen) = (try loop.tty(descriptor), try loop.tty(control))
      try terminal.setMode(.io)
      let reading = loop.spawn { () async throws(UVError) in try await terminal.read(exactly: 1 << 20).value }
      #expect(try await screen.sendfile(file, count: 1 << 20).value == 1 << 20)
      #expect(try await reading.value == bytes)
      try await file.close().value
      for stream in [terminal, screen] { stream.close() }
      for descriptor in [descriptor, control] { Foundation.close(descriptor) }
    }
  }

  enum End: CaseIterable { case close, cancellation, timeout, hangUp }

  @Test(
    "A file that is sent to a terminal's controlling side keeps no thread once that ends",
    arguments: End.allCases)
  func controllingSide(end: End) async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/a", SendfileTests.pattern(1 << 20)).value
      let file = try await loop.files.open("\(directory)/a").value
      let (control, descriptor) = try openPseudoTerminal()
      let (terminal, screen) = (try loop.tty(descriptor), try loop.tty(control))
      try terminal.setMode(.io)
      let log = Log<String?>()
      if end == .timeout { screen.writeTimeout = .milliseconds(100) }
      let sending = screen.sendfile(file, count: 1 << 20) { log.append($0.error?.name) }
      if end != .timeout {
        try await loop.sleep(for: .milliseconds(100)).value
        #expect(log.values == [])
      }
      switch end {
      case .close: screen.close()
      case .cancellation: sending.cancel()
      case .timeout: break
      case .hangUp: try await terminal.close().value
      }
      if end == .hangUp { Foundation.close(descriptor) }
      try await loop.until { log.values.count == 1 }
      #expect(log.values == [end == .timeout ? "ETIMEDOUT" : end == .hangUp ? "EIO" : "ECANCELED"])
      await #expect(throws: Never.self) { try await file.close().timeout(after: .seconds(5)).value }
      for stream in [terminal, screen] { stream.close() }
      if end != .hangUp { Foundation.close(descriptor) }
      Foundation.close(control)
    }
  }

  @Test func aTerminalThatHangsUpEnds() async throws {
    try await withLoop { loop in
      let (control, descriptor) = try openPseudoTerminal()
      let terminal = try loop.tty(descriptor)
      let waiting = loop.spawn { () async throws(UVError) in try await terminal.next().value }
      try await loop.sleep(for: .zero).value
      Foundation.close(control)
      let end = await code { () async throws(UVError) in #expect(try await waiting.value == nil) }
      // Linux says that as an error of reading, others as an end.
      #expect(end == nil || end?.name == "EIO")
      terminal.close()
      Foundation.close(descriptor)
    }
  }

  @Test func whatIsNoTerminal() async throws {
    try await withLoop { loop in
      let null = Foundation.open("/dev/null", O_RDWR | O_CLOEXEC)
      let (reading, writing) = try loop.pipes.pair()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      for descriptor in try [null, reading.fileDescriptor(), listener.fileDescriptor()] {
        await expectError(.notTerminal, of: try loop.tty(descriptor))
      }
      Foundation.close(null)
      await expectError(.badDescriptor, of: try loop.tty(null))
      await expectError(.badDescriptor, of: try loop.tty(-1))
      for handle in [reading, writing, listener] as [Handle] { handle.close() }
    }
  }

  @Test func kindsOfDescriptors() async throws {
    try await withLoop { loop in
      let (control, descriptor) = try openPseudoTerminal()
      let (reading, writing) = try loop.pipes.pair()
      let (first, second) = try loop.pipes.socketPair()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let udp = try loop.udp.bind(port: 0)
      let file = Foundation.open("/etc/passwd", O_RDONLY | O_CLOEXEC)
      #expect(HandleType(guessing: descriptor) == .tty)
      #expect(HandleType(guessing: try reading.fileDescriptor()) == .pipe)
      #expect(HandleType(guessing: try first.fileDescriptor()) == .pipe)
      #expect(HandleType(guessing: try listener.fileDescriptor()) == .tcp)
      #expect(HandleType(guessing: try udp.fileDescriptor()) == .udp)
      #expect(HandleType(guessing: file) == .file)
      #expect(HandleType(guessing: -1) == .unknown)
      for handle in [reading, writing, first, second, listener, udp] as [Handle] { handle.close() }
      for descriptor in [file, descriptor, control] { Foundation.close(descriptor) }
    }
  }
}
