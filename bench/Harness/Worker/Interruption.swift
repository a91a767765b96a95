import Synchronization

private let interrupted = Atomic<Bool>(false)

/// Ctrl-C and its like, taken note of and acted upon where that is safe.
enum Interruption {
  /// From here on SIGINT, SIGTERM and SIGHUP make the next `check` throw instead of
  /// ending the process, so that children and files are cleared up.
  static func install() {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { _ in interrupted.store(true, ordering: .relaxed) }
    #else
      action.__sigaction_handler.sa_handler = { _ in interrupted.store(true, ordering: .relaxed) }
    #endif
    // Without SA_RESTART: a wait for a child returns at once.
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaction(signal, &action, nil) }
  }

  static var isAsked: Bool { interrupted.load(ordering: .relaxed) }

  static func check() throws { if isAsked { throw Interrupted() } }
}
