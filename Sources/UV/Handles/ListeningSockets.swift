import CUV
import Synchronization

/// The listening sockets of this process that a successor can take over. Listeners may be on any thread.
struct ListeningSockets {
  private struct Entry {
    let identifier: ObjectIdentifier
    let descriptor: Int32
    let place: ListeningPlace
    /// Whether a successor has the socket, too.
    var isPassedOn = false
  }

  private static let state = Mutex(ListeningSockets())

  private var entries: [Entry] = []
  /// Whether a successor begins, or has begun and hasn't ended.
  private var hasSuccessor = false

  static func add(_ listener: ListenerPoll, _ descriptor: Int32, _ place: ListeningPlace) {
    let entry = Entry(identifier: ObjectIdentifier(listener), descriptor: descriptor, place: place)
    state.withLock { $0.entries.append(entry) }
  }

  /// Called before the listener's descriptor is closed. Removes its file if no successor has the socket.
  static func remove(_ listener: ListenerPoll) {
    let entry = state.withLock { state in
      state.entries.firstIndex { $0.identifier == ObjectIdentifier(listener) }
        .map { state.entries.remove(at: $0) }
    }
    guard let entry, !entry.isPassedOn, let file = entry.place.file else { return }
    // As libuv does it: if somebody else has removed the file, that is as well.
    _ = file.withPlatformString { CUV.unlink($0) }
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
      state.hasSuccessor = true
      return .success(copies)
    }
    return try result.get()
  }

  /// The successor is ready. Listeners at these places go on listening in the successor.
  static func passedOn(_ places: Set<String>) {
    state.withLock { state in
      for index in state.entries.indices where places.contains(state.entries[index].place.text) {
        state.entries[index].isPassedOn = true
      }
    }
  }

  /// There is no successor any more. One that was ready may have a successor of its own, so its files stay.
  static func successorEnded() { state.withLock { $0.hasSuccessor = false } }
}
