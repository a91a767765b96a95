import CUV
import Synchronization

/// A value that a process has one of, behind a lock. It is made when somebody first asks for it, and stays until the
/// process ends.
///
/// It isn't a global variable of Swift's, because a simulation has several processes in one.
struct ProcessVariable<Value: Sendable>: Sendable {
  private final class Storage: Sendable {
    let value = Mutex<Value?>(nil)
  }

  private let slot: ProcessVariableSlot
  private let initial: @Sendable () -> Value

  init(_ slot: ProcessVariableSlot, _ initial: @escaping @Sendable () -> Value) {
    self.slot = slot
    self.initial = initial
  }

  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    storage.value.withLock { value in
      var current = value.take() ?? initial()
      defer { value = current }
      return body(&current)
    }
  }

  /// Sound: a slot is for one variable, and what it holds is never let go of.
  private var storage: Storage {
    if let there = cuv_process_variable(slot.rawValue, nil) {
      return Unmanaged<Storage>.fromOpaque(there).takeUnretainedValue()
    }
    let made = Unmanaged.passRetained(Storage())
    let winner = cuv_process_variable(slot.rawValue, made.toOpaque())!
    if winner != made.toOpaque() { made.release() }
    return Unmanaged<Storage>.fromOpaque(winner).takeUnretainedValue()
  }
}

/// Which variable of the process it is.
enum ProcessVariableSlot: Int32 {
  case listeningSockets, passedSockets, leftFiles
}
