import Foundation
import UV
import UVTestSupport

/// A terminal: a line is typed, read, and answered.
final class TerminalWork {
  private let loop: EventLoop
  private let ledger: Ledger
  private var open: [TTY] = []

  init(_ loop: EventLoop, _ ledger: Ledger) {
    self.loop = loop
    self.ledger = ledger
  }

  func start() {
    guard let (control, descriptor) = try? openPseudoTerminal() else { return }
    defer {
      close(control)
      close(descriptor)
    }
    guard let screen = try? loop.tty(control), let terminal = try? loop.tty(descriptor) else { return }
    open = [screen, terminal]
    _ = try? terminal.windowSize()
    try? terminal.setMode(.raw)
    try? terminal.setMode(.normal)
    screen.write("typed\n", ledger.once("write", endIfFailed))
    terminal.next(
      ledger.once("line") { [self] result in
        guard case .success(let line?) = result else { return end() }
        ledger.expect(line == "typed\n", "\(line) was typed")
        terminal.write("answer\n", ledger.once("write", endIfFailed))
      })
    var shown: [UInt8] = []
    screen.start { [self] result in
      guard case .success(let part?) = result else { return end() }
      shown += part
      if String(decoding: shown, as: UTF8.self).hasSuffix("answer\r\n") { end() }
    }
  }

  private func endIfFailed(_ result: Result<Void, UVError>) { if case .failure = result { end() } }

  private func end() {
    for terminal in open { terminal.close(ledger.once("terminal's close")) }
    open = []
  }
}
