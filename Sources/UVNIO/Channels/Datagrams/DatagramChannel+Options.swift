#if NIO || NIOBootstraps || Everything
import NIOCore

/// The facts about a datagram that the system reports if it is asked to.
struct WantedMetadata: OptionSet {
  let rawValue: UInt8

  /// The bits by which routers report congestion.
  static let congestion = WantedMetadata(rawValue: 1)
  /// The interface that it came by, and the address that it was sent to.
  static let packetInfo = WantedMetadata(rawValue: 2)
  /// The size of the datagrams that the system has put together.
  static let segmentSize = WantedMetadata(rawValue: 4)
}

extension DatagramChannel {
  private typealias Types = ChannelOptions.Types

  /// Sets an option that only datagrams have. Returns whether it is one.
  func setOwn<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws -> Bool {
    switch option {
    case is Types.DatagramVectorReadMessageCountOption: vectorCount = max(value as! Int, 0)
    case is Types.ExplicitCongestionNotificationsOption: try want(.congestion, value as! Bool)
    case is Types.ReceivePacketInfo: try want(.packetInfo, value as! Bool)
    case is Types.DatagramSegmentSize:
      try socket.setOption(ControlMessages.udp, try segmentSize(), value as! CInt)
    case is Types.DatagramReceiveOffload:
      try socket.setOption(ControlMessages.udp, try offload(), value as! Bool ? CInt(1) : 0)
    case is Types.DatagramReceiveSegmentSize:
      _ = try offload()
      note(.segmentSize, value as! Bool)
    default: return false
    }
    return true
  }

  /// The value of an option that only datagrams have; nil if it isn't one.
  func getOwn<Option: ChannelOption>(_ option: Option) throws -> Option.Value? {
    let value: Any
    switch option {
    case is Types.DatagramVectorReadMessageCountOption: value = vectorCount
    case is Types.ExplicitCongestionNotificationsOption: value = try isAsked(for: .congestion)
    case is Types.ReceivePacketInfo: value = try isAsked(for: .packetInfo)
    case is Types.DatagramSegmentSize:
      value = try socket.option(ControlMessages.udp, segmentSize(), as: CInt.self)
    case is Types.DatagramReceiveOffload:
      value = try socket.option(ControlMessages.udp, offload(), as: CInt.self) != 0
    case is Types.DatagramReceiveSegmentSize:
      _ = try offload()
      value = wanted.contains(.segmentSize)
    default: return nil
    }
    return (value as! Option.Value)
  }

  private func note(_ metadata: WantedMetadata, _ isWanted: Bool) {
    if isWanted { wanted.insert(metadata) } else { wanted.remove(metadata) }
  }

  private func want(_ metadata: WantedMetadata, _ isWanted: Bool) throws {
    let (level, name) = try systemOption(metadata)
    try socket.setOption(level, name, isWanted ? CInt(1) : 0)
    note(metadata, isWanted)
  }

  private func isAsked(for metadata: WantedMetadata) throws -> Bool {
    let (level, name) = try systemOption(metadata)
    return try socket.option(level, name, as: CInt.self) != 0
  }

  /// The socket's option that asks for `congestion` or `packetInfo`.
  private func systemOption(_ metadata: WantedMetadata) throws -> (level: Int32, name: Int32) {
    let isCongestion = metadata == .congestion
    return switch try socket.localAddress() {
    case .v4:
      (ControlMessages.ip, isCongestion ? ControlMessages.congestionOption : ControlMessages.packetInfoOption)
    case .v6:
      (
        ControlMessages.ipv6,
        isCongestion ? ControlMessages.congestionOption6 : ControlMessages.packetInfoOption6
      )
    case .unixDomainSocket: throw ChannelError.operationUnsupported
    }
  }

  /// The option by which one write becomes several datagrams.
  private func segmentSize() throws -> Int32 {
    guard System.supportsUDPSegmentationOffload else { throw ChannelError.operationUnsupported }
    return Int32(NIOBSDSocket.Option.udp_segment.rawValue)
  }

  /// The option by which several datagrams are read as one.
  private func offload() throws -> Int32 {
    guard System.supportsUDPReceiveOffload else { throw ChannelError.operationUnsupported }
    return Int32(NIOBSDSocket.Option.udp_gro.rawValue)
  }
}
#endif
