// What is no terminal is told from one that is; a terminal is put into raw mode and back.
import Foundation
import UV

enum TerminalsAndTheirModes: Program {
  static func main() throws {
    try EventLoop.run { loop in
      print(HandleType(guessing: 0) == .tty)
      do throws(UVError) {
        _ = try loop.tty(0)
      } catch {
        print(error.code == .invalidArgument || error.code == .notTerminal)
      }
      let terminal = try loop.tty(open("/dev/ptmx", O_RDWR | O_NOCTTY))
      for mode in [TTY.Mode.raw, .io, .normal] { try terminal.setMode(mode) }
      print(try terminal.windowSize().columns >= 0)
      try TTY.resetMode()
      try await terminal.close().value
      print(HandleType(guessing: 999) == .unknown)
    }
  }
}

// Prints:
// false
// true
// true
// true
