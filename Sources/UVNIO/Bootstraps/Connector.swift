#if NIO || NIOBootstraps || Everything
public import NIOCore
import UV

/// A host that couldn't be connected to.
public struct UVConnectionError: Error {
  /// The host's name, as it was given.
  public let host: String
  /// The port.
  public let port: Int
  /// Why the name couldn't be looked up, such as a `UVError` with the code `unknownHost`; nil if it could be.
  public let lookupError: (any Error)?
  /// Why each address failed, in the order in which they did. Empty if there was none.
  public let attempts: [Attempt]

  /// An address that failed.
  public struct Attempt: Sendable {
    /// The address.
    public let address: NIOCore.SocketAddress
    /// Why it failed.
    public let error: any Error
  }
}

extension UVConnectionError: CustomStringConvertible {
  /// The host and all reasons, in one line.
  public var description: String {
    let reasons =
      lookupError.map { ["\($0)"] } ?? attempts.map { "\($0.address): \($0.error)" }
    return "can't connect to \(host) port \(port): \(reasons.joined(separator: "; "))"
  }
}

/// Connects to the first address of a host that answers. It lives on the loop's thread.
// Sound: touched on the loop's thread alone. Futures and timers keep it until it has answered.
final class Connector<Output: Sendable>: @unchecked Sendable {
  private let loop: UVEventLoop
  private let setup: ClientSetup
  private let host: String
  private let port: Int
  private let further: ClientSetup.Initializer<Output>
  private let promise: EventLoopPromise<(any Channel, Output)>
  private var rest = AddressQueue()
  /// The channels that are being connected.
  private var pending: [ObjectIdentifier: StreamChannel] = [:]
  private var failed: [UVConnectionError.Attempt] = []
  private var hasAnswered = false
  /// Nil once no more addresses come.
  private var lookup: HostLookup?
  private var limit: Scheduled<Void>?
  private var nextTry: Scheduled<Void>?

  private static var delays: ConnectDelays { ConnectDelays() }

  init(
    _ loop: UVEventLoop, _ setup: ClientSetup, _ host: String, _ port: Int,
    _ further: @escaping ClientSetup.Initializer<Output>
  ) {
    self.loop = loop
    self.setup = setup
    self.host = host
    self.port = port
    self.further = further
    promise = loop.makePromise()
  }

  func start() -> EventLoopFuture<(any Channel, Output)> {
    guard loop.isOpen else { return loop.makeFailedFuture(EventLoopError.shutdown) }
    limit = loop.scheduleTask(in: setup.connectTimeout) { [self] in
      answer(.failure(ChannelError.connectTimeout(setup.connectTimeout)))
    }
    let lookup = HostLookup(loop.loop, delay: Self.delays.resolution)
    self.lookup = lookup
    lookup.start(host, port: port) { [self] addresses in
      rest.append(addresses)
      if nextTry == nil || pending.isEmpty { tryNext() }
    } ended: { [self] error in
      self.lookup = nil
      if let error {
        answer(.failure(UVConnectionError(host: host, port: port, lookupError: error, attempts: [])))
      } else {
        failIfNothingIsLeft()
      }
    }
    return promise.futureResult
  }

  /// Nobody waits for it any more. On the loop's thread.
  func cancel() { answer(.failure(CancellationError())) }

  private func tryNext() {
    nextTry.take()?.cancel()
    guard !hasAnswered else { return }
    guard let address = rest.popFirst().map({ NIOCore.SocketAddress($0) }) else {
      return failIfNothingIsLeft()
    }
    nextTry = loop.scheduleTask(in: TimeAmount(Self.delays.attempt)) { [self] in
      nextTry = nil
      tryNext()
    }
    var made: ObjectIdentifier?
    let outcome = setup.connectOnLoop(loop, address, further) { channel in
      made = ObjectIdentifier(channel)
      pending[ObjectIdentifier(channel)] = channel
    }
    let identity = made
    outcome.whenComplete { [self] result in
      if let identity { pending[identity] = nil }
      switch result {
      case .success(let output): answer(.success(output))
      case .failure(let error):
        failed.append(UVConnectionError.Attempt(address: address, error: error))
        tryNext()
      }
    }
  }

  private func failIfNothingIsLeft() {
    guard pending.isEmpty, rest.isEmpty, lookup == nil else { return }
    answer(.failure(UVConnectionError(host: host, port: port, lookupError: nil, attempts: failed)))
  }

  private func answer(_ result: Result<(any Channel, Output), any Error>) {
    if hasAnswered {
      // Another address was faster.
      if case .success(let (channel, _)) = result { channel.close(promise: nil) }
      return
    }
    hasAnswered = true
    lookup.take()?.cancel()
    limit?.cancel()
    nextTry?.cancel()
    let losers = pending.values
    pending = [:]
    for channel in losers {
      channel.close0(error: ChannelError.ioOnClosedChannel, mode: .all, promise: nil)
    }
    promise.assumeIsolatedUnsafeUnchecked().completeWith(result)
  }
}
#endif
