import CUV
import Synchronization

/// The sockets that another process has passed to this one: its predecessor, by `EventLoop.handover`, or
/// systemd. They are looked for once, when somebody first listens, starts a child or is ready.
package struct PassedSockets {
  /// The first descriptor that systemd passes. A predecessor passes its socket for `ready` there.
  static var first: Int32 { firstDescriptor.load(ordering: .relaxed) }

  /// A test has its own: the descriptor 3 is somebody else's in its process.
  package static let firstDescriptor = Atomic<Int32>(3)

  /// The variable with the number of sockets that a predecessor passes. Others, `UV_HANDOVER_0` and so on,
  /// have their names and places.
  static let variable = "UV_HANDOVER"

  /// The variable with the numbers of those sockets whose files belong to the processes that have the socket.
  /// Other files are systemd's.
  static let filesVariable = "UV_HANDOVER_FILES"

  /// The variables in which systemd describes its sockets.
  static let systemdVariables = ["LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES"]

  private static let state = ProcessVariable(.passedSockets) { PassedSockets() }

  private var sockets: [PassedSocket] = []
  private var predecessor: Int32?

  /// Looks for the sockets, so that no child inherits them by chance.
  static func claim() { state.withLock { _ in } }

  /// Takes the first socket that listens at a place; nil if there is none.
  static func take(at place: String) -> PassedSocket? { take { $0.place == place } }

  /// Takes the socket that serves an address best; nil if none does.
  static func take(at wanted: WantedAddress) -> PassedSocket? {
    state.withLock { state in state.best(for: wanted).map { state.sockets.remove(at: $0) } }
  }

  /// Lets several listeners of this process have one socket, if it is for an address and no other socket can listen
  /// there. systemd makes such a socket for a group of loops, where the group itself makes one for each.
  static func share(_ wanted: WantedAddress, among count: Int) {
    state.withLock { state in
      guard let socket = state.best(for: wanted).map({ state.sockets[$0] }) else { return }
      for _ in 1..<max(count, 1) { if let copy = socket.copyIfAlone() { state.sockets.append(copy) } }
    }
  }

  /// The first of those sockets that serve an address best.
  private func best(for wanted: WantedAddress) -> Int? {
    let ranks = sockets.map { $0.rank(for: wanted) }
    return ranks.compactMap { $0 }.min().flatMap { ranks.firstIndex(of: $0) }
  }

  /// Takes the first socket that has a name, and that is of a kind; nil if there is none.
  static func take(named name: String, isLocal: Bool) -> PassedSocket? {
    take { $0.name == name && ListeningPlace.isLocal($0.place) == isLocal }
  }

  private static func take(_ isWanted: (PassedSocket) -> Bool) -> PassedSocket? {
    state.withLock { state in
      state.sockets.firstIndex(where: isWanted).map { state.sockets.remove(at: $0) }
    }
  }

  static func contains(_ address: SocketAddress) -> Bool {
    state.withLock { $0.best(for: .one(address)) != nil }
  }

  /// Closes the sockets that no listener has taken, and notifies the predecessor that it may end.
  static func ready() {
    let predecessor = state.withLock { state in
      state.sockets = []
      return state.predecessor.take()
    }
    if let predecessor { cuv_say_ready(predecessor) }
  }

  private init() {
    readHandover()
    if sockets.isEmpty { readSystemd() }
  }

  /// The variables may be those of another process that has started this one, so the descriptors are checked.
  private mutating func readHandover() {
    guard let count = environmentValue(Self.variable).flatMap({ Int32($0) }), (1...10_000).contains(count)
    else {
      return
    }
    let descriptors = (Self.first + 1)...(Self.first + count)
    guard HandleType(guessing: Self.first) == .pipe, descriptors.allSatisfy(cuv_is_listening) else { return }
    let files = (environmentValue(Self.filesVariable) ?? "").split(separator: ",")
    for (number, descriptor) in descriptors.enumerated() {
      let parts = (environmentValue("\(Self.variable)_\(number)") ?? ":").split(
        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      add(
        descriptor, name: String(parts[0]), place: String(parts.last ?? ""),
        removesFile: files.contains("\(number)"))
    }
    predecessor = cuv_close_on_exec(Self.first) == 0 ? Self.first : nil
  }

  private mutating func readSystemd() {
    guard environmentValue("LISTEN_PID").flatMap({ Int32($0) }) == uv_os_getpid(),
      let count = environmentValue("LISTEN_FDS").flatMap({ Int32($0) }), (1...10_000).contains(count)
    else { return }
    let names = (environmentValue("LISTEN_FDNAMES") ?? "").split(
      separator: ":", omittingEmptySubsequences: false)
    for descriptor in Self.first..<(Self.first + count) {
      let number = Int(descriptor - Self.first)
      let name = number < names.count ? String(names[number]) : "unknown"
      let place = ListeningPlace.text(of: descriptor)
      add(descriptor, name: name, place: place, removesFile: false)
    }
  }

  private mutating func add(_ descriptor: Int32, name: String, place: String, removesFile: Bool) {
    guard cuv_close_on_exec(descriptor) == 0, cuv_is_listening(descriptor) else { return }
    let path = removesFile ? socketPath(of: descriptor) : nil
    let file = path.map { SocketFile(path: $0, isShared: true) }
    sockets.append(PassedSocket(descriptor, name: name, place: place, file: file))
  }
}

/// A variable of the environment. Nobody has changed it, at the beginning of a program.
private func environmentValue(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// A listening socket that another process has passed to this one, and that no listener has taken yet.
final class PassedSocket: Sendable {
  let name: String
  /// Where the socket listens, as `ListeningPlace` writes it.
  let place: String
  /// The socket's file, if it belongs to the processes that have the socket. systemd removes its own.
  let file: SocketFile?
  private let descriptor: Atomic<Int32>

  init(_ descriptor: Int32, name: String, place: String, file: SocketFile?) {
    self.descriptor = Atomic(descriptor)
    self.name = name
    self.place = place
    self.file = file
  }

  deinit {
    let descriptor = take()
    if descriptor < 0 { return }
    _ = CUV.close(descriptor)
    file?.removeIfUnused()
  }

  /// How well the socket serves a listener for an address, 0 best; nil if it doesn't.
  fileprivate func rank(for wanted: WantedAddress) -> Int? {
    let isFirst = place == ListeningPlace(wanted.first).text
    switch wanted {
    case .one(let address):
      if isFirst { return 0 }
      // `ListenStream=8080` of systemd's, and a program that asks for all addresses of IPv4.
      guard case .v4(0) = address.family, place == "[::]:\(address.port)" else { return nil }
      return isDualStack ? 1 : nil
    case .all:
      // The administrator may have one family alone. Another socket beside theirs couldn't be bound.
      if isFirst { return isDualStack ? 0 : 2 }
      return wanted.second.map { place == ListeningPlace($0).text } == true ? 1 : nil
    }
  }

  private var isDualStack: Bool { cuv_is_dual_stack(descriptor.load(ordering: .relaxed)) }

  /// Another descriptor of the socket; nil if others can listen at its address, or the process can have no more.
  fileprivate func copyIfAlone() -> PassedSocket? {
    let descriptor = descriptor.load(ordering: .relaxed)
    if cuv_reuses_port(descriptor) { return nil }
    let copy = cuv_duplicate(descriptor)
    return copy < 0 ? nil : PassedSocket(copy, name: name, place: place, file: file)
  }

  /// The descriptor and its file, which belong to the caller from now on.
  func take() -> Int32 { descriptor.exchange(-1, ordering: .relaxed) }
}

/// The path of a socket of the Unix domain, or its abstract name; nil if it has none.
private func socketPath(of descriptor: Int32, isAbstract: Bool = false) -> FilePath? {
  try? socketPath("getsockname") { buffer, count in
    let code = cuv_socket_path(descriptor, buffer, count.pointee, isAbstract)
    count.pointee = code == 0 ? strlen(buffer) : 0
    return code
  }
}

extension ListeningPlace {
  init(_ address: SocketAddress) { self.init(text: address.description) }

  init(path: some PathConvertible) { self.init(text: "unix:\(path.subject)") }

  init(_ socket: PassedSocket) {
    self.init(text: socket.place, name: socket.name, file: socket.file)
  }

  /// The place of a socket that another program has made; empty if it has none, or one of another kind.
  static func text(of descriptor: Int32) -> String {
    if let path = socketPath(of: descriptor) { return "unix:\(path)" }
    if let name = socketPath(of: descriptor, isAbstract: true) { return "unix-abstract:\(name)" }
    let address = try? address("getsockname") { cuv_getsockname(descriptor, $0, $1) }
    return address?.description ?? ""
  }
}
