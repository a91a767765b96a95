import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// A terminal whose program ends by a signal gets its mode back.
@Suite(.onTheMachine("pseudo-terminals")) struct TerminalEndTests {
  private static func isRaw(_ descriptor: Int32) -> Bool {
    var attributes = termios()
    #expect(tcgetattr(descriptor, &attributes) == 0)
    return attributes.c_lflag & (tcflag_t(ECHO) | tcflag_t(ICANON)) == 0
  }

  @Test(
    "A raw terminal is as before when a signal ends its program or a fault does, also after the signal was watched",
    arguments: [SIGTERM, SIGINT, SIGHUP, SIGABRT, SIGSEGV], [false, true])
  func signals(signal: Int32, isWatchedBefore: Bool) async throws {
    try await withLoop { _ in
      let (control, terminal) = try openPseudoTerminal()
      let path: String = String(cString: ttyname(terminal)!)
      await #expect(processExitsWith: .signal(signal)) {
        [path = path as String, signal = signal as Int32, isWatched = isWatchedBefore as Bool] in
        // A crash needs no report here.
        if signal == SIGSEGV { Foundation.signal(SIGSEGV, SIG_DFL) }
        let descriptor = open(path, O_RDWR | O_NOCTTY)
        try EventLoop.run { loop in
          let tty = try loop.tty(descriptor)
          try tty.setMode(.raw)
          if isWatched, signal != SIGSEGV { try await loop.signals(Signal(rawValue: signal)).close().value }
          var attributes = termios()
          tcgetattr(descriptor, &attributes)
          guard attributes.c_lflag & tcflag_t(ECHO) == 0 else { exit(1) }
          if signal == SIGSEGV {
            UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
          } else {
            kill(getpid(), signal)
          }
          try await loop.sleep(for: .seconds(60)).value
        }
      }
      #expect(!Self.isRaw(terminal))
      close(terminal)
      close(control)
    }
  }
}
