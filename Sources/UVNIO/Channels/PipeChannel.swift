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

/// A channel over one or two descriptors that aren't connected sockets: pipes, terminals, serial lines.
// Sound: as its superclass.
final class PipeChannel: StreamChannel, @unchecked Sendable {
  private var input: End?
  private var outputEnd: End?

  /// A descriptor, and what watches it. Each descriptor needs a poll of its own.
  private struct End {
    let descriptor: Socket
    var poll: DescriptorPoll?

    /// Stops watching, and gives the descriptor back to the system.
    mutating func close() throws {
      poll.take()?.end()
      try descriptor.discard()
    }
  }

  /// - Parameters:
  ///   - input: What is read from; nil if nothing is.
  ///   - output: What is written to; nil if nothing is. One of them isn't nil.
  init(input: Socket?, output: Socket?, _ loop: UVEventLoop) {
    self.input = input.map { End(descriptor: $0) }
    outputEnd = output.map { End(descriptor: $0) }
    super.init((input ?? output)!, loop, parent: nil)
  }

  /// Begins, and ends a direction that there is no descriptor for.
  func begin() -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    let (hasInput, hasOutput) = (input != nil, outputEnd != nil)
    registerAlreadyConfigured0(promise: promise)
    return promise.futureResult.flatMap { [self] in
      hasInput && hasOutput ? loop.makeSucceededVoidFuture() : close(mode: hasInput ? .output : .input)
    }
  }

  // MARK: Polling

  override func startPolling() throws(UVError) {
    if let input {
      self.input?.poll = try DescriptorPoll(loop.loop, descriptor: input.descriptor.descriptor, owner: self)
    }
    if let outputEnd {
      self.outputEnd?.poll = try DescriptorPoll(
        loop.loop, descriptor: outputEnd.descriptor.descriptor, owner: OutputOwner(channel: self))
    }
  }

  override func watch(for events: PollEvents) throws(UVError) {
    try input?.poll?.watch(for: events.intersection([.readable, .disconnect]))
    // The system reports a reader's end whatever is asked for, but only if something is.
    try outputEnd?.poll?.watch(for: events.contains(.writable) ? .writable : .prioritized)
  }

  override func stopPolling() {
    input?.poll.take()?.end()
    outputEnd?.poll.take()?.end()
  }

  override func discardDescriptor() throws {
    let (input, output) = (input.take(), outputEnd.take())
    defer { try? output?.descriptor.discard() }
    try input?.descriptor.discard()
  }

  /// Hears of the output.
  private final class OutputOwner: DescriptorPollOwner {
    let channel: PipeChannel

    init(channel: PipeChannel) { self.channel = channel }

    func descriptorIsReady(for events: PollEvents, hasError: Bool) {
      if !hasError, events.contains(.writable) {
        channel.descriptorIsReady(for: .writable, hasError: false)
      } else {
        channel.outputMayBeLost(hasError)
      }
    }

    func pollWasClosed() { channel.pollWasClosed() }
  }

  private func outputMayBeLost(_ hasError: Bool) {
    guard isOpen, let outputEnd, hasError || outputEnd.descriptor.isLost else { return }
    // A write that waits learns of it by itself.
    if hasFlushedWrites { return flushNow() }
    try? endOutput()
    outputWasLost(Socket.error("the reader has closed the pipe", EPIPE))
  }

  // MARK: What a pipe does otherwise

  override var output: Socket { outputEnd?.descriptor ?? super.output }

  override func endInput(isAtEnd: Bool) throws {
    var end = input.take()
    // The number of a closed descriptor is another file's soon.
    if let outputEnd { socket = outputEnd.descriptor }
    try end?.close()
  }

  override func endOutput() throws {
    var end = outputEnd.take()
    try end?.close()
  }

  override func bind0(to address: NIOCore.SocketAddress, promise: EventLoopPromise<Void>?) {
    promise.fail(.operationUnsupported)
  }

  override func connect0(to address: NIOCore.SocketAddress, promise: EventLoopPromise<Void>?) {
    promise.fail(.operationUnsupported)
  }
}
#endif
