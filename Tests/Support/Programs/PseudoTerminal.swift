import Foundation

/// Opens the two sides of a pseudo-terminal: the controlling one, and the one that programs see as their
/// terminal.
public func openPseudoTerminal() throws -> (control: Int32, terminal: Int32) {
  #if os(Linux)
  let control = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
  var (lock, number): (Int32, Int32) = (0, 0)
  // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
  let isUnlocked = ioctl(control, 0x4004_5431, &lock) == 0 && ioctl(control, 0x8004_5430, &number) == 0
  let terminal = isUnlocked ? open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC) : -1
  #else
  var (control, terminal): (Int32, Int32) = (-1, -1)
  _ = openpty(&control, &terminal, nil, nil, nil)
  #endif
  if control >= 0, terminal < 0 { close(control) }
  guard control >= 0, terminal >= 0 else { throw NoPseudoTerminal() }
  return (control, terminal)
}

/// The system has none to give.
struct NoPseudoTerminal: Error {}
