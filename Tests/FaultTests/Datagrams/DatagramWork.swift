import Foundation
import UV

/// Datagrams over the network and in the Unix domain, until all that were sent have come or something failed.
struct DatagramWork {
  let loop: EventLoop
  let ledger: Ledger

  private static let words = (0..<20).map { Bytes("datagram \($0)") }

  func start() {
    for options in [[], .receiveInBatches] as [UDP.Options] {
      guard let receiver = try? loop.udp.bind(host: "127.0.0.1", port: 0, options: options),
        let address = try? receiver.localAddress()
      else { continue }
      if let sender = try? loop.udp.bind(host: "127.0.0.1", port: 0) {
        Exchange(ledger, from: sender, to: receiver).run { done in
          for word in Self.words { sender.send(word, to: address, done(1)) }
        }
      }
    }
    connected()
    fullQueue()
    settings()
  }

  private func connected() {
    guard let receiver = try? loop.udp.bind(host: "127.0.0.1", port: 0),
      let address = try? receiver.localAddress(), let sender = try? loop.udp.connect(to: address)
    else { return }
    _ = try? sender.peerAddress()
    Exchange(ledger, from: sender, to: receiver).run { done in
      sender.send(Self.words[0], done(1))
      // All but the first with one system call, where libuv can.
      sender.send(Self.words.prefix(5).map { Datagram($0) }, done(5))
    }
  }

  /// Datagrams of the Unix domain wait for their reader, so that those that come after must wait to be sent.
  private func fullQueue() {
    guard let pair = try? DescriptorPair.datagrams() else { return }
    // One that cannot be opened has closed its descriptor, and the other closes when it is dropped.
    let (first, second) = (open(pair.first), open(pair.second))
    guard let first, let second else { return }
    Exchange(ledger, from: first, to: second).run { done in
      for _ in 0..<40 { first.send(Bytes(repeating: 4, count: 10_000), done(1)) }
      first.send([Datagram("two"), Datagram("at once")], done(2))
    }
  }

  /// Who cannot be opened remains the caller's.
  private func open(_ descriptor: Int32) -> UDPSocket? {
    guard let socket = try? loop.udp.open(fileDescriptor: descriptor) else {
      close(descriptor)
      return nil
    }
    return socket
  }

  private func settings() {
    guard let socket = try? loop.udp.bind(host: "127.0.0.1", port: 0, options: .reuseAddress) else { return }
    try? socket.setBroadcast(true)
    try? socket.setTTL(3)
    try? socket.setMulticastLoop(true)
    try? socket.setMulticastTTL(3)
    try? socket.setMulticastInterface("127.0.0.1")
    let waiting = socket.next(ledger.once("datagram, cancelled"))
    loop.sleep(
      for: .zero,
      ledger.once("sleep") { _ in
        waiting.cancel()
        socket.close(ledger.once("socket's close"))
      })
  }

  /// One direction of datagrams; both sockets are closed once all have come, or a caller was notified of an
  /// error.
  private final class Exchange {
    private let ledger: Ledger
    private let (sender, receiver): (UDPSocket, UDPSocket)
    private var (asked, answered, sent, received) = (0, 0, 0, 0)
    private var hasFailed = false
    private var isDone = false

    init(_ ledger: Ledger, from sender: UDPSocket, to receiver: UDPSocket) {
      self.ledger = ledger
      (self.sender, self.receiver) = (sender, receiver)
    }

    /// - Parameter send: Sends, each time with a completion for some datagrams.
    func run(_ send: ((Int) -> Completion<Void>) -> Void) {
      receiver.start { [self] result in
        if case .failure = result { hasFailed = true } else if !isDone { received += 1 }
        endIfDone()
      }
      send { [self] count in
        asked += count
        return ledger.once("send") { [self] result in
          answered += count
          if case .success = result { sent += count } else { hasFailed = true }
          endIfDone()
        }
      }
    }

    private func endIfDone() {
      guard !isDone, hasFailed || answered == asked && received >= sent else { return }
      isDone = true
      if !hasFailed { ledger.expect(received == sent, "\(received) of \(sent) datagrams came back") }
      sender.close(ledger.once("sender's close"))
      receiver.close(ledger.once("receiver's close"))
    }
  }
}
