#if NIO || NIOBootstraps || Everything
import NIOCore

extension DatagramChannel: MulticastChannel {
  func joinGroup(_ group: SocketAddress, device: NIONetworkDevice?, promise: EventLoopPromise<Void>?) {
    change(group, device, promise, .ip_add_membership, .ipv6_join_group)
  }

  func leaveGroup(_ group: SocketAddress, device: NIONetworkDevice?, promise: EventLoopPromise<Void>?) {
    change(group, device, promise, .ip_drop_membership, .ipv6_leave_group)
  }

  @available(*, deprecated)
  func joinGroup(_ group: SocketAddress, interface: NIONetworkInterface?, promise: EventLoopPromise<Void>?) {
    joinGroup(group, device: interface.map { NIONetworkDevice($0) }, promise: promise)
  }

  @available(*, deprecated)
  func leaveGroup(_ group: SocketAddress, interface: NIONetworkInterface?, promise: EventLoopPromise<Void>?) {
    leaveGroup(group, device: interface.map { NIONetworkDevice($0) }, promise: promise)
  }

  private func change(
    _ group: SocketAddress, _ device: NIONetworkDevice?, _ promise: EventLoopPromise<Void>?,
    _ option: NIOBSDSocket.Option, _ option6: NIOBSDSocket.Option
  ) {
    guard loop.inEventLoop else {
      return loop.execute { [self] in change(group, device, promise, option, option6) }
    }
    promise.complete {
      guard isLive else { throw ChannelError.inappropriateOperationForState }
      if let device, !device.multicastSupported { throw NIOMulticastNotSupportedError(device: device) }
      guard let local = localAddress else { throw ChannelError.unknownLocalAddress }
      guard local.protocol == group.protocol else { throw ChannelError.badMulticastGroupAddressFamily }
      guard group.isMulticast else { throw ChannelError.illegalMulticastAddress(group) }
      if let address = device?.address, address.protocol != group.protocol {
        throw ChannelError.badInterfaceAddressFamily
      }
      // `ip_mreq` is the group and the interface's address, `ipv6_mreq` the group and the interface's number.
      if case .v4 = group {
        let request = group.hostBytes + (device?.address?.hostBytes ?? [0, 0, 0, 0])
        try socket.setOption(ControlMessages.ip, option.rawValue, bytes: request)
      } else {
        let index = withUnsafeBytes(of: UInt32(device?.interfaceIndex ?? 0), Array.init)
        try socket.setOption(ControlMessages.ipv6, option6.rawValue, bytes: group.hostBytes + index)
      }
    }
  }
}
#endif
