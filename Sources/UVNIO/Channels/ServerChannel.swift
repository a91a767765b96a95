#if NIO || NIOBootstraps || Everything
import NIOCore
import UV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// A socket that listens. It reads channels, each for a loop of the group.
// Sound: as its superclass.
final class ServerChannel: SocketChannel, @unchecked Sendable {
  static let usualBacklog: Int32 = 128

  private var backlog = ServerChannel.usualBacklog
  private let nextLoop: () -> UVEventLoop
  private let backoff: AcceptBackoff

  init(_ socket: Socket, _ loop: UVEventLoop, nextLoop: @escaping () -> UVEventLoop) {
    self.nextLoop = nextLoop
    backoff = AcceptBackoff(loop.loop)
    super.init(socket, loop, parent: nil)
  }

  override var isWritable: Bool { false }
  override var noticesEnd: Bool { false }

  override func bind0(to address: NIOCore.SocketAddress, promise: EventLoopPromise<Void>?) {
    guard isOpen else { return promise.fail(.ioOnClosedChannel) }
    guard state == .registered else { return promise.fail(.inappropriateOperationForState) }
    do {
      try socket.assign(address)
      try startListening()
    } catch {
      promise?.fail(error)
      return
    }
    becomeActive(promise)
  }

  func startListening() throws {
    try socket.startListening(backlog: backlog)
    updateAddresses()
  }

  // MARK: Accepting

  override func readFromSocket() throws -> Bool {
    var hasAccepted = false
    for _ in 0..<maxMessagesPerRead {
      guard isOpen else { throw ChannelError.eof }
      guard let (accepted, peer) = try socket.acceptOne() else { break }
      reading.note(isAsked: false)
      hasAccepted = true
      backoff.succeed()
      let child = StreamChannel(accepted, nextLoop(), parent: self, peer: peer)
      pipeline.syncOperations.fireChannelRead(NIOAny(child))
    }
    return hasAccepted
  }

  /// A channel that has come through the pipeline begins to live, on its own loop.
  override func channelRead0(_ data: NIOAny) {
    guard let child = tryUnwrapData(data, as: StreamChannel.self) else { return }
    child.loop.execute {
      // Through the pipeline, since a handler may want to know.
      child.register().whenComplete { _ in
        if child.state == .registered {
          child.becomeActive(nil)
        } else if child.isOpen {
          // Its loop has ended, or a handler has kept it from being registered.
          child.close0(error: ChannelError.ioOnClosedChannel, mode: .all, promise: nil)
        }
      }
    }
  }

  /// The error of one connection doesn't end the channel. If the system has no room for connections, the
  /// others wait a while.
  override func endsChannel(_ error: any Error) -> Bool {
    guard let error = error as? IOError else { return true }
    if AcceptBackoff.isNeeded(-error.errnoCode) {
      takeRest()
      return false
    }
    switch error.errnoCode {
    case ECONNABORTED, EPERM, EPROTO, ENETDOWN, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH: return false
    default: return true
    }
  }

  private func takeRest() {
    guard !reading.isResting else { return }
    rest()
    backoff.begin { [self] in if isOpen { goOn() } }
  }

  override func failWrites(_ error: any Error) { backoff.end() }

  // MARK: Options

  override func set<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws {
    if option is ChannelOptions.Types.BacklogOption {
      backlog = value as! Int32
    } else {
      try super.set(option, value)
    }
  }

  override func get<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
    option is ChannelOptions.Types.BacklogOption ? backlog as! Option.Value : try super.get(option)
  }
}
#endif
