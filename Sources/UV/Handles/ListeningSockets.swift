import CUV

/// The listening sockets of this process that a successor can take over. Listeners may be on any thread.
struct ListeningSockets {
  private struct Entry {
    let identifier: ObjectIdentifier
    let descriptor: Int32
    var place: ListeningPlace
  }

  private static let state = ProcessVariable(.listeningSockets) { ListeningSockets() }

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

/// Where a listener listens, as its program has asked for it, so that a successor that asks for the same gets
/// the same socket.
struct ListeningPlace: Sendable {
  /// `127.0.0.1:8080`, or `unix:` and a path. With port 0, the system has chosen another.
  var text: String
  /// The name that systemd has given to the socket; empty if there is none.
  var name = ""
  /// The file that is to be removed when the last process that has the socket closes it.
  var file: SocketFile?

  /// Whether a socket is one of the Unix domain: it has a path, or an abstract name.
  static func isLocal(_ text: String) -> Bool { text.hasPrefix("unix:") || text.hasPrefix("unix-abstract:") }
}

/// The sidecar of a listening socket, which is polled by a libuv handle of its own beside the one that has
/// the descriptor.
///
/// The poll never keeps the loop running, since it rests while nobody asks for a connection. The loop counts
/// the listener as work instead.
final class ListenerPoll: HandleExtension {
  /// The libuv handle, which closes itself; see `closeInternal`.
  let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
  /// Sound: a loop outlives its handles.
  private unowned(unsafe) let loop: EventLoop
  /// The listener. Another thread may drop it at any moment while nobody asks.
  private(set) weak var owner: Handle?
  /// Whether the listener keeps its loop running.
  private(set) var isKeepingLoop = false
  /// The file to look after once the descriptor is closed.
  private var file: SocketFile?

  /// - Parameters:
  ///   - subject: The address, for the error. An error leaves nothing behind.
  ///   - place: Where a successor of this process finds the socket; nil if it isn't to find it.
  init(_ owner: Handle, descriptor: Int32, _ subject: String, _ place: ListeningPlace?) throws(UVError) {
    self.owner = owner
    loop = owner.loop
    super.init()
    let code = uv_poll_init(loop.raw, poll, descriptor)
    if code < 0 {
      poll.deallocate()
      throw failure(code, "listen", subject)
    }
    uv_unref(cuv_handle(poll))
    keepRunning(true)
    if let place { ListeningSockets.add(self, descriptor, place) }
  }

  /// Has libuv call `callback` while connections wait, with a handle whose data is `context`.
  func start(_ context: UnsafeMutableRawPointer, _ callback: @escaping uv_poll_cb) throws(UVError) {
    cuv_handle_set_data(poll, context)
    try check(uv_poll_start(poll, Int32(UV_READABLE.rawValue), callback), "accept")
  }

  func stop() { uv_poll_stop(poll) }

  /// Chooses whether the listener keeps its loop running.
  func keepRunning(_ isKept: Bool) {
    loop.assertOnLoop()
    if isKeepingLoop == isKept { return }
    isKeepingLoop = isKept
    if isKept { loop.keepRunning() } else { loop.ceaseToKeepRunning() }
  }

  /// The poll stops while the descriptor is open, and nobody may copy the descriptor from now on.
  override func handleCloses() {
    stop()
    file = ListeningSockets.remove(self)
  }

  /// The poll closes after the listener, so that libuv reports the listener's close last. libuv has closed
  /// the descriptor by now.
  override func closeBegan() {
    if let file { ListeningSockets.descriptorClosed(file) }
    keepRunning(false)
    cuv_handle_set_data(poll, Unmanaged.passUnretained(loop).toOpaque())
    closeInternal(poll, of: loop)
  }
}

extension HandleBlock {
  /// The poll of a listener; nil if the handle is no listener, or closes. Sound: a listener's sidecar is of
  /// this class.
  var listenerPoll: ListenerPoll? {
    guard header.pointee.role == .listener, let sidecar = header.pointee.sidecar else { return nil }
    return unsafeDowncast(sidecar.takeUnretainedValue(), to: ListenerPoll.self)
  }
}
