#if NIO || NIOBootstraps || Everything
// Documentation is built with all traits on, and with the usual swift-nio.
#if NIOBootstraps && !Everything
// `NIOSocketChannelProvider` is a protocol of a changed swift-nio: see Design/0060-other-peoples-servers.md.
public import NIOCore

/// Makes the channels of NIO's own bootstraps, so that libraries which use those run on this loop unchanged.
///
/// Each function may be called on any thread. It throws an `IOError` if the system makes no socket,
/// `EventLoopError.shutdown` if the loop has ended, and `ChannelError.operationUnsupported` for multi-path TCP
/// and for a group of children that isn't ``UVEventLoopGroup`` or a ``UVEventLoop``. A socket that the caller
/// has made is the caller's as before if the function throws.
extension UVEventLoop: NIOSocketChannelProvider {
  /// Makes a channel that listens once it is bound.
  public func makeServerSocketChannel(
    protocolFamily: NIOBSDSocket.ProtocolFamily, enableMPTCP: Bool, childGroup: any EventLoopGroup
  ) throws -> any Channel {
    if enableMPTCP || !childGroup.isUV { throw ChannelError.operationUnsupported }
    return try make({ try Socket(protocolFamily) }) { ServerChannel($0, self) { childGroup.nextUVLoop() } }
  }

  /// Makes a channel of a socket that is bound already.
  public func makeServerSocketChannel(
    socket: NIOBSDSocket.Handle, childGroup: any EventLoopGroup
  ) throws -> any Channel {
    if !childGroup.isUV { throw ChannelError.operationUnsupported }
    return try make {
      let socket = try Socket(takingOver: socket)
      try socket.startListening(backlog: ServerChannel.usualBacklog)
      return socket
    } _: {
      ServerChannel($0, self) { childGroup.nextUVLoop() }
    }
  }

  /// Makes a channel that connects.
  public func makeSocketChannel(
    protocolFamily: NIOBSDSocket.ProtocolFamily, enableMPTCP: Bool
  ) throws -> any Channel {
    if enableMPTCP { throw ChannelError.operationUnsupported }
    return try make({ try Socket(protocolFamily) }) { StreamChannel($0, self, parent: nil) }
  }

  /// Makes a channel of a socket that is connected already.
  public func makeSocketChannel(socket: NIOBSDSocket.Handle) throws -> any Channel {
    try make({ try Socket(takingOver: socket) }) {
      StreamChannel($0, self, parent: nil, peer: try? $0.remoteAddress())
    }
  }

  /// Makes a channel for datagrams.
  public func makeDatagramChannel(
    protocolFamily: NIOBSDSocket.ProtocolFamily, protocolNumber: CInt
  ) throws -> any Channel {
    try make({ try Socket(protocolFamily, .datagrams(protocolNumber)) }) { DatagramChannel($0, self) }
  }

  /// Makes a channel of a socket for datagrams that is bound already.
  public func makeDatagramChannel(socket: NIOBSDSocket.Handle) throws -> any Channel {
    try make({ try Socket(takingOver: socket) }) { DatagramChannel($0, self) }
  }

  /// Makes a channel that the loop closes when it ends. A loop that has ended makes none: the bootstrap's
  /// work doesn't come to it, so nobody would close the channel. If the loop ends in this moment, the channel
  /// is closed at once.
  private func make(
    _ makeSocket: () throws -> Socket, _ make: (Socket) -> SocketChannel
  ) throws -> any Channel {
    if hasEnded { throw EventLoopError.shutdown }
    let channel = make(try makeSocket())
    if !channel.isNoted {
      execute { channel.close0(error: EventLoopError.shutdown, mode: .all, promise: nil) }
    }
    return channel
  }
}
#endif
#endif
