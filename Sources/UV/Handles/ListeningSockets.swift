import CUV
import Synchronization

/// The listening sockets of this process that a successor can take over. Listeners may be on any thread.
struct ListeningSockets {
  private struct Entry {
    let identifier: ObjectIdentifier
    let descriptor: Int32
    var place: ListeningPlace
  }

  private static let state = Mutex(ListeningSockets())

  private var entries: [Entry] = []
  /// Whether a successor begins, or has begun and hasn't ended.
  private var hasSuccessor = false

  static func add(_ listener: ListenerPoll, _ descriptor: Int32, _ place: ListeningPlace) {
    let entry = Entry(identifier: ObjectIdentifier(listener), descriptor: descriptor, place: place)
    state.withLock { $0.entries.append(entry) }
  }

  /// Called before the listener's descriptor is closed: nobody may copy it from now on.
  ///
  /// - Returns: The file to look after once the descriptor is closed.
  static func remove(_ listener: ListenerPoll) -> SocketFile? {
    state.withLock { state in
      state.entries.firstIndex { $0.identifier == ObjectIdentifier(listener) }
        .flatMap { state.entries.remove(at: $0).place.file }
    }
  }

  private static var hasSuccessor: Bool { state.withLock { $0.hasSuccessor } }

  /// Called after the descriptor has been closed.
  static func descriptorClosed(_ file: SocketFile) {
    file.removeIfUnused(isTriedAgain: hasSuccessor)
    // It may have ended on another loop's thread meanwhile, before the file was among those that are left.
    if !hasSuccessor { SocketFile.removeLeft() }
  }

  /// Copies of the descriptors, which belong to the caller, with their places.
  ///
  /// - Throws: `alreadyInProgress` if there is a successor, `invalidArgument` if nothing listens, and
  ///   `tooManyOpenFiles`.
  static func beginHandover() throws(UVError) -> [(descriptor: Int32, place: ListeningPlace)] {
    let result: Result<[(descriptor: Int32, place: ListeningPlace)], UVError> = state.withLock { state in
      if state.hasSuccessor {
        let subject = "there is a successor already"
        return .failure(UVError(.alreadyInProgress, operation: "handover", subject: subject))
      }
      if state.entries.isEmpty {
        let subject = "nothing listens: call this while a listener is open"
        return .failure(UVError(.invalidArgument, operation: "handover", subject: subject))
      }
      var copies: [(descriptor: Int32, place: ListeningPlace)] = []
      for entry in state.entries {
        let copy = cuv_duplicate(entry.descriptor)
        if copy < 0 {
          for copy in copies { _ = CUV.close(copy.descriptor) }
          return .failure(failure(copy, "handover"))
        }
        copies.append((copy, entry.place))
      }
      for index in state.entries.indices { state.entries[index].place.file?.isShared = true }
      state.hasSuccessor = true
      return .success(copies)
    }
    return try result.get()
  }

  /// There is no successor any more. One that was ready may have had a successor of its own, which has the
  /// sockets then.
  static func successorEnded() {
    state.withLock { $0.hasSuccessor = false }
    SocketFile.removeLeft()
  }
}
