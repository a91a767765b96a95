#if NIO || NIOBootstraps || Everything
import NIOCore

extension SocketChannel {
  /// Sets an option that every channel has.
  final func setBase<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws {
    switch option {
    case let option as ChannelOptions.Types.SocketOption:
      try socket.setOption(
        Int32(option.level), option.name, Int32(truncatingIfNeeded: value as! SocketOptionValue))
    case is ChannelOptions.Types.AllocatorOption: setAllocator(value as! ByteBufferAllocator)
    case is ChannelOptions.Types.RecvAllocatorOption:
      receiver.recvAllocator = value as! any RecvByteBufferAllocator
    case is ChannelOptions.Types.AutoReadOption:
      let isOn = value as! Bool
      if autoRead == isOn { return }
      autoRead = isOn
      guard isRegistered else { return }
      if isOn { read0() } else { pauseReading() }
    case is ChannelOptions.Types.MaxMessagesPerReadOption:
      maxMessagesPerRead = max(value as! UInt, 1)
      receiver.updateCapacity(to: Int(maxMessagesPerRead))
    default: throw ChannelError.operationUnsupported
    }
  }

  final func getBase<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
    let value: Any =
      switch option {
      case let option as ChannelOptions.Types.SocketOption:
        SocketOptionValue(try socket.option(Int32(option.level), option.name, as: Int32.self))
      case is ChannelOptions.Types.AllocatorOption: bufferAllocator
      case is ChannelOptions.Types.RecvAllocatorOption: receiver.recvAllocator
      case is ChannelOptions.Types.AutoReadOption: autoRead
      case is ChannelOptions.Types.MaxMessagesPerReadOption: maxMessagesPerRead
      default: throw ChannelError.operationUnsupported
      }
    return value as! Option.Value
  }

  final func setOption<Option: ChannelOption>(
    _ option: Option, value: Option.Value
  ) -> EventLoopFuture<Void> {
    onLoop { try self.setOptionNow(option, value) }
  }

  final func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
    onLoop { try self.getOptionNow(option) }
  }

  final func setOptionNow<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws {
    loop.preconditionInEventLoop()
    guard isOpen else { throw ChannelError.ioOnClosedChannel }
    try set(option, value)
  }

  final func getOptionNow<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
    loop.preconditionInEventLoop()
    guard isOpen else { throw ChannelError.ioOnClosedChannel }
    return try get(option)
  }

  /// The outcome of `body`, at once if this is the loop's thread.
  private func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) -> EventLoopFuture<Value> {
    loop.inEventLoop ? loop.makeCompletedFuture(Result { try body() }) : loop.submit(body)
  }

  final var syncOptions: (any NIOSynchronousChannelOptions)? { SynchronousOptions(channel: self) }

  /// The options of a channel, for callers on its loop's thread.
  struct SynchronousOptions: NIOSynchronousChannelOptions {
    fileprivate let channel: SocketChannel

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) throws {
      try channel.setOptionNow(option, value)
    }

    func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
      try channel.getOptionNow(option)
    }
  }
}

extension SocketChannel: SocketOptionProvider {
  final func unsafeSetSocketOption<Value: Sendable>(
    level: SocketOptionLevel, name: SocketOptionName, value: Value
  ) -> EventLoopFuture<Void> {
    onLoop { [self] in
      guard isOpen else { throw ChannelError.ioOnClosedChannel }
      try socket.setOption(Int32(level), name, value)
    }
  }

  final func unsafeSetSocketOption<Value: Sendable>(
    level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option, value: Value
  ) -> EventLoopFuture<Void> {
    unsafeSetSocketOption(level: SocketOptionLevel(level.rawValue), name: name.rawValue, value: value)
  }

  final func unsafeGetSocketOption<Value: Sendable>(
    level: SocketOptionLevel, name: SocketOptionName
  ) -> EventLoopFuture<Value> {
    onLoop { [self] in
      guard isOpen else { throw ChannelError.ioOnClosedChannel }
      return try socket.option(Int32(level), name)
    }
  }

  final func unsafeGetSocketOption<Value: Sendable>(
    level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option
  ) -> EventLoopFuture<Value> {
    unsafeGetSocketOption(level: SocketOptionLevel(level.rawValue), name: name.rawValue)
  }
}

extension SocketChannel: NIOTransportAccessibleChannelCore {
  final func withUnsafeTransport<Value>(_ body: (NIOBSDSocket.Handle) throws -> Value) throws -> Value {
    guard isOpen else { throw ChannelError.ioOnClosedChannel }
    return try body(socket.descriptor)
  }
}
#endif
