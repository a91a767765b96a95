import RedisCommands
import Synchronization
import UV
import UVTLS

/// What a client may take.
struct Limits: Sendable {
  let maxClients: Int
  /// The bytes of a command, and of a string.
  let maxValue: Int
  /// The bytes of all commands that are under way, and of what is kept for their answers.
  let maxPending: Int
  let idleTimeout: Duration
  let commandTimeout: Duration
  let lifetime: Duration
}

/// The state that all clients share, whichever loop serves them.
final class Server: Sendable {
  let limits: Limits
  private let style: Style
  private let loops: Int
  private let tls: TLSContext?
  private let began = LoopClock.Instant.now
  /// The data. With one loop nobody ever waits for this lock.
  private let store: Mutex<Store>
  private let clients = Atomic(0)
  private let accepted = Atomic(0)
  private let rejected = Atomic(0)
  private let commands = Atomic(0)
  /// How much memory commands take that haven't come completely, and answers that haven't left.
  private let held = Atomic(0)

  init(style: Style, loops: Int, limits: Limits, tls: TLSContext?) {
    self.style = style
    self.loops = loops
    self.limits = limits
    self.tls = tls
    store = Mutex(Store(maxValue: limits.maxValue))
  }

  // MARK: Clients

  /// Serves a client, unless there are too many. It then gets a reason, as from Redis.
  func serve(_ connection: TCPConnection) {
    accepted.add(1, ordering: .relaxed)
    if clients.add(1, ordering: .relaxed).newValue <= limits.maxClients {
      // An answer is written whole, so the system needn't wait for more of it.
      try? connection.setNoDelay()
      guard let tls else { return Session(connection, self).run(style) }
      // With TLS it is a stream of bytes as without.
      connection.loop.tls.secure(connection, tls) { result in
        switch result {
        case .success(let secured): Session(secured, self).run(self.style)
        case .failure(let error):
          connection.close()
          self.clientLeft()
          report("a handshake failed: \(error)", connection.loop)
        }
      }
    } else {
      rejected.add(1, ordering: .relaxed)
      connection.write("-ERR max number of clients reached\r\n") { _ in
        connection.close()
        self.clientLeft()
      }
    }
  }

  /// Notes that a client's command takes more memory, or less. Returns false if it takes more, and all
  /// together take too much.
  func hold(_ change: Int) -> Bool {
    held.add(change, ordering: .relaxed).newValue <= limits.maxPending || change <= 0
  }

  func clientLeft() { clients.subtract(1, ordering: .relaxed) }

  // MARK: Commands

  /// Executes a command.
  ///
  /// - Parameter large: The last argument, if it came in pieces.
  /// - Returns: Whether the client has said goodbye.
  func execute(_ arguments: Arguments, _ large: [Bytes], _ answers: inout Answers) -> Bool {
    if !large.isEmpty {
      if arguments.command == .set, arguments.count == 3 {
        commands.add(1, ordering: .relaxed)
        store.withLock { $0.keep(large, arguments[1]) }
        answers.ok()
        return false
      }
      // Every other command needs the value in one piece.
      return execute(arguments.replacingLast(by: Bytes(joining: large)), [], &answers)
    }
    commands.add(1, ordering: .relaxed)
    guard let command = arguments.command else {
      answers.error("ERR unknown command '\(Bytes(arguments[0].prefix(128)))'")
      return false
    }
    guard command.arity ~= arguments.count else {
      answers.error("ERR wrong number of arguments for '\(command.rawValue.lowercased())' command")
      return false
    }
    switch command {
    case .ping: if arguments.count > 1 { answers.bulk(arguments[1]) } else { answers.status("PONG") }
    case .echo: answers.bulk(arguments[1])
    case .select: answers.ok()
    case .command: answers.array(0)
    case .config:
      // Clients ask for what is saved: nothing.
      answers.array(2)
      answers.bulk(arguments[2])
      answers.bulk("")
    case .info: answers.bulk(Bytes(info()))
    case .quit:
      answers.ok()
      return true
    default: store.withLock { $0.execute(command, arguments, &answers) }
    }
    return false
  }

  /// Removes keys whose time has come, and which nobody has asked for since.
  func removeExpired() { store.withLock { $0.removeExpired() } }

  private func info() -> String {
    let (keys, expires) = store.withLock { ($0.count, $0.deadlineCount) }
    let uptime = began.duration(to: .now).components.seconds
    return """
      # Server\r
      redis_version:7.0.0\r
      process_id:\(SystemInfo.processID)\r
      libuv_version:\(SystemInfo.libuvVersion)\r
      style:\(style.rawValue)\r
      loops:\(loops)\r
      uptime_in_seconds:\(uptime)\r
      \r
      # Clients\r
      connected_clients:\(clients.load(ordering: .relaxed))\r
      maxclients:\(limits.maxClients)\r
      \r
      # Memory\r
      used_memory_rss:\((try? SystemInfo.residentMemory()) ?? 0)\r
      used_memory_pending:\(held.load(ordering: .relaxed))\r
      \r
      # Stats\r
      total_connections_received:\(accepted.load(ordering: .relaxed))\r
      rejected_connections:\(rejected.load(ordering: .relaxed))\r
      total_commands_processed:\(commands.load(ordering: .relaxed))\r
      \r
      # Keyspace\r
      db0:keys=\(keys),expires=\(expires)\r

      """
  }
}
