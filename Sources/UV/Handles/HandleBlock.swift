import CUV

/// The memory of one libuv handle, at an address that never moves, together with what closing it needs.
///
/// It can outlive the Swift object that owns it, because libuv holds the memory until its close callback. It
/// is freed when both are done with it. Except for `free`, everything happens on the loop's thread.
struct HandleBlock {
  struct Header {
    var next: UnsafeMutablePointer<Header>?
    var previous: UnsafeMutablePointer<Header>?
    /// The owner retains itself through this while libuv may call it. Sound: released in the close callback
    /// at the latest.
    var retainedOwner: Unmanaged<Handle>?
    unowned(unsafe) var loop: EventLoop
    /// State that only some handles need; it stays until the handle closes. Balanced in `endSidecar`.
    var sidecar: Unmanaged<HandleExtension>?
    // These share a word: a header is a part of every connection.
    var activity: Handle.Activity = []
    var isClosing = false
    var isClosed = false
    var role = Handle.Role.other
    /// The owner has been deinitialized.
    var isAbandoned = false
    /// Whether the program has set `keepsLoopRunning`.
    var isKeepingChosen = false
    /// Whether a TCP connection closes by a reset.
    var closesByReset = false
    /// The handle's descriptor, if one of the two below is so.
    var descriptor: Int32 = -1
    /// Whether no other handle of the loop may take the descriptor over while this handle is open.
    var ownsDescriptor = false
    /// Whether the descriptor is one that libuv doesn't close, so that it is closed with the handle.
    var closesDescriptor = false
    /// When the handle was made, on the loop's clock in milliseconds.
    let start: UInt64
  }

  /// Keeps the handle aligned for any libuv type.
  private static let offset = (MemoryLayout<Header>.size + 15) & ~15

  let header: UnsafeMutablePointer<Header>

  /// The libuv handle, right behind the header.
  var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(header) + Self.offset }

  var handle: UnsafeMutablePointer<uv_handle_t> { cuv_handle(raw) }

  /// Whether the handle is closing or closed.
  var isClosing: Bool {
    @inline(__always) get { header.pointee.isClosing || header.pointee.isClosed }
  }

  init(size: Int, loop: EventLoop) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.offset + size, alignment: 16)
    header = memory.bindMemory(to: Header.self, capacity: 1)
    header.initialize(to: Header(loop: loop, start: uv_now(loop.raw)))
    raw.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  init(header: UnsafeMutablePointer<Header>) { self.header = header }

  init(of handle: UnsafeMutablePointer<uv_handle_t>) {
    header = (UnsafeMutableRawPointer(handle) - Self.offset).assumingMemoryBound(to: Header.self)
  }

  /// Starts to close the handle; once.
  func close() {
    guard !header.pointee.isClosing else { return }
    beginClose()
    endClose()
  }

  /// The part of ``close()`` after which nothing new begins. ``endClose()`` must follow.
  func beginClose() {
    header.pointee.loop.assertOnLoop()
    assert(!header.pointee.isClosed, "a handle closes twice")
    header.pointee.isClosing = true
    header.pointee.loop.hold()
    disown()
    header.pointee.sidecar?.takeUnretainedValue().handleCloses()
  }

  /// Hands the handle to libuv.
  func endClose() {
    restoreTerminal()
    uv_close(handle, handleClosed)
    endSidecar()
  }

  /// Starts to close a TCP handle by a reset; false if libuv declines.
  func closeReset() -> Bool {
    guard uv_tcp_close_reset(raw.assumingMemoryBound(to: uv_tcp_t.self), handleClosed) == 0 else {
      return false
    }
    beginClose()
    endSidecar()
    return true
  }

  /// Gives a terminal the mode back that it had. If this handle hasn't changed it, libuv does nothing.
  private func restoreTerminal() {
    guard cuv_handle_type(handle) == UV_TTY else { return }
    let tty = raw.assumingMemoryBound(to: uv_tty_t.self)
    // A terminal that has hung up has no mode any more.
    try? check(uv_tty_set_mode(tty, UV_TTY_MODE_NORMAL), "tty_set_mode")
  }

  /// Notes the handle's descriptor as its own.
  func own() {
    header.pointee.loop.assertOnLoop()
    var descriptor: uv_os_fd_t = -1
    guard uv_fileno(handle, &descriptor) == 0 else { return }
    header.pointee.descriptor = descriptor
    header.pointee.ownsDescriptor = true
    header.pointee.loop.openHandles.descriptors.insert(descriptor)
  }

  /// Notes the descriptor of a poll as the handle's own, which closes with it. There is none if it is negative.
  func ownPolledDescriptor(_ descriptor: Int32) {
    if descriptor < 0 { return }
    header.pointee.descriptor = descriptor
    header.pointee.closesDescriptor = true
    own()
  }

  /// The kind of the handle; libuv has other words for some kinds.
  var type: HandleType {
    switch header.pointee.role {
    case .file: .file
    case .child: .process
    case .tree: .fileEvent
    case .other, .listener, .accepted: HandleType(cuv_handle_type(handle))
    }
  }

  /// Called when the handle is about to close its descriptor, whose number may then be used again.
  private func disown() {
    guard header.pointee.ownsDescriptor else { return }
    header.pointee.ownsDescriptor = false
    header.pointee.loop.openHandles.descriptors.remove(header.pointee.descriptor)
  }

  /// Keeps an object until the handle closes. The handle is open and has none yet.
  func keep(_ sidecar: HandleExtension) {
    assert(header.pointee.sidecar == nil && !isClosing, "a handle has one sidecar, as long as it is open")
    header.pointee.sidecar = .passRetained(sidecar)
  }

  private func endSidecar() {
    guard let sidecar = header.pointee.sidecar.take() else { return }
    sidecar.takeUnretainedValue().closeBegan()
    sidecar.release()
  }

  /// Called when the owner has gone, on the loop's thread.
  func abandon() {
    header.pointee.loop.assertOnLoop()
    assert(header.pointee.retainedOwner == nil && !header.pointee.isAbandoned, "the owner goes twice")
    header.pointee.isAbandoned = true
    if header.pointee.isClosed { free() } else { close() }
  }

  func free() {
    header.deinitialize(count: 1)
    UnsafeMutableRawPointer(header).deallocate()
  }
}

private func handleClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
  let block = HandleBlock(of: handle!)
  let loop = block.header.pointee.loop
  loop.callback {
    assert(
      block.header.pointee.isClosing && !block.header.pointee.isClosed,
      "libuv closes a handle once, when asked to")
    block.header.pointee.isClosed = true
    if block.header.pointee.closesDescriptor { _ = CUV.close(block.header.pointee.descriptor) }
    loop.unlink(block)
    if let owner = block.header.pointee.retainedOwner {
      block.header.pointee.retainedOwner = nil
      owner.takeUnretainedValue().didClose()
      owner.release()
    } else if block.header.pointee.isAbandoned {
      block.free()
    }
    loop.letGo()
  }
}

/// State that only some handles need, so that the others don't pay for it. A handle's block keeps it while
/// the handle is open.
///
/// The owner of the handle may go at any time, on any thread; its sidecar is used on the loop's thread only.
class HandleExtension {
  /// Called on the loop's thread when the handle begins to close, however that comes about. Its descriptor is
  /// still open.
  func handleCloses() {}

  /// Called right after libuv was asked to close the handle. A handle that is closed here closes together with
  /// this one.
  func closeBegan() {}
}

/// The sidecar of a handle that libuv may call although nothing retains the owner. Another thread may drop
/// the owner at any moment.
class IdleOwner: HandleExtension {
  weak var owner: Handle?

  init(_ owner: Handle) { self.owner = owner }
}

/// A handle on a loop, as libuv sees it; see ``EventLoop/handles``.
public struct LoopHandle: Hashable, Sendable {
  /// The type of the handle.
  public var type: HandleType
  /// Whether the handle is doing something.
  public var isActive: Bool
  /// Whether the handle is closing; libuv owns its memory until it is closed.
  public var isClosing: Bool
  /// Whether the handle keeps the loop running while it is active.
  public var keepsLoopRunning: Bool
  /// The handle's file descriptor, or nil if it has none.
  public var fileDescriptor: Int32?
}

/// Closes a handle from any thread: ``Handle/closer``.
///
/// For a place that asks for something `Sendable`, such as the `onCancel` of `withTaskCancellationHandler`:
///
/// ```swift
/// let closer = connection.closer
/// await withTaskCancellationHandler { await work() } onCancel: { closer.close() }
/// ```
public struct HandleCloser: Sendable {
  private let handle: LoopReference<Handle>

  init(_ handle: Handle) { self.handle = LoopReference(handle, of: handle.loop) }

  /// Closes the handle, as ``Handle/close()`` does: at once on the loop's thread, from another thread in the
  /// loop's next turn. Does nothing if the handle has been closed, or the loop has ended.
  public func close() { handle.perform { $0.close() } }

  /// Closes the handle so that its peer doesn't take what it has got for complete; see ``Handle/cutOff()``.
  package func cutOff() { handle.perform { $0.cutOff() } }
}

extension Handle {
  /// A value that closes this handle from any thread. It doesn't keep the handle or the loop.
  public var closer: HandleCloser { HandleCloser(self) }
}
