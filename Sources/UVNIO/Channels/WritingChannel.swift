#if NIO || NIOBootstraps || Everything
import NIOCore
import Synchronization

/// A channel that is written to: it notifies its handlers whether more writes are welcome.
// Sound: as its superclass.
class WritingChannel: SocketChannel, @unchecked Sendable {
  private var waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32 * 1024, high: 64 * 1024)
  private let writability = Atomic(true)
  /// Whether the handlers know that the channel is writable.
  private var isWritabilityReported = true
  /// How often a flush offers the system what it hasn't taken the time before.
  private(set) final var writeSpin: UInt = 16

  final override var isWritable: Bool { writability.load(ordering: .relaxed) }

  /// How many bytes the system hasn't taken, flushed or not.
  var heldByteCount: Int { 0 }

  /// A write was added.
  final func noteAddedWrite() {
    loop.assertInEventLoop()
    guard heldByteCount > waterMark.high, writability.exchange(false, ordering: .relaxed) else { return }
    isWritabilityReported = false
    pipeline.syncOperations.fireChannelWritabilityChanged()
  }

  /// The system has taken bytes. The promises of their writes see whether there is room.
  @inline(__always)
  final func noteTakenWrites() {
    if heldByteCount < waterMark.low { writability.store(true, ordering: .relaxed) }
  }

  /// Notifies the handlers if there is room again.
  final func reportWritability() {
    loop.assertInEventLoop()
    guard !isWritabilityReported, isOpen, isWritable else { return }
    isWritabilityReported = true
    pipeline.syncOperations.fireChannelWritabilityChanged()
  }

  // MARK: Options

  override func set<Option: ChannelOption>(_ option: Option, _ value: Option.Value) throws {
    switch option {
    case is ChannelOptions.Types.WriteSpinOption: writeSpin = value as! UInt
    case is ChannelOptions.Types.WriteBufferWaterMarkOption:
      waterMark = value as! ChannelOptions.Types.WriteBufferWaterMark
    default: try super.set(option, value)
    }
  }

  override func get<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
    switch option {
    case is ChannelOptions.Types.WriteSpinOption: writeSpin as! Option.Value
    case is ChannelOptions.Types.WriteBufferWaterMarkOption: waterMark as! Option.Value
    case is ChannelOptions.Types.BufferedWritableBytesOption: heldByteCount as! Option.Value
    default: try super.get(option)
    }
  }
}
#endif
