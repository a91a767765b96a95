#if NIO || NIOBootstraps || Everything
public import Dispatch
public import NIOCore
import Synchronization
import UV

/// Event loops of libuv on threads of their own, for SwiftNIO.
///
/// ```swift
/// let group = try UVEventLoopGroup(count: 2)
/// let server = try await UVServerBootstrap(group: group)
///   .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
///   .childChannelInitializer { channel in channel.pipeline.configureHTTPServerPipeline() }
///   .bind(host: "127.0.0.1", port: 8080).get()
/// try await server.closeFuture.get()
/// try await group.shutdownGracefully()
/// ```
///
/// It takes the place of NIO's `MultiThreadedEventLoopGroup`. Use it with ``UVServerBootstrap`` and
/// ``UVClientBootstrap``, since NIO's own bootstraps accept only the groups of `NIOPosix`.
///
/// You can use a group from any thread. It runs until you shut it down, even if nothing refers to it any
/// more.
///
/// The corresponding libuv type is `uv_loop_t`.
public final class UVEventLoopGroup: NIOCore.EventLoopGroup {
  private enum Phase {
    case running
    case ending([Waiter])
    case ended
  }

  private typealias Waiter = @Sendable () -> Void

  private let threads = LoopThreads()
  private let loops: [UVEventLoop]
  private let turns = Atomic<Int>(0)
  private let phase = Mutex(Phase.running)

  /// Starts the threads, each with a loop.
  ///
  /// - Parameters:
  ///   - count: How many loops, 1 or more.
  ///   - name: How the threads are called in a debugger. A number is added, and Linux shows the first 15
  ///     bytes.
  /// - Throws: A `UVError`: `invalidArgument` for a count below 1; `tooManyOpenFiles`, `wouldBlock` or
  ///   `outOfMemory` if the system has no more descriptors, threads or memory. The threads that had been
  ///   started then end.
  ///
  /// The corresponding libuv function is `uv_thread_create_ex`.
  public init(count: Int = UV.EventLoopGroup.defaultCount, name: String = "nio-uv") throws {
    guard count >= 1 else {
      throw UVError(.invalidArgument, operation: "UVEventLoopGroup", subject: "\(count) loops (1 or more)")
    }
    let made = Mutex<[UVEventLoop]>([])
    do {
      for number in 0..<count {
        _ = try threads.start { loop in
          loop.name = "\(name) \(number)"
          loop.nameThread()
          let nio = loop.nio
          made.withLock { $0.append(nio) }
        }
      }
    } catch {
      for loop in made.withLock({ $0 }) { loop.loopExecutor.stop() }
      throw error
    }
    loops = made.withLock { $0 }
    // Until the group is shut down.
    for loop in loops { loop.group.withLock { $0 = self } }
  }

  /// The next loop in turn.
  public func next() -> any NIOCore.EventLoop { nextLoop() }

  func nextLoop() -> UVEventLoop {
    let turn = turns.wrappingAdd(1, ordering: .relaxed).oldValue
    return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
  }

  /// A loop of the group: the calling thread's own, if it is one of them, and otherwise the next in turn.
  public func any() -> any NIOCore.EventLoop { loops.first { $0.inEventLoop } ?? nextLoop() }

  /// The loops, in their order.
  public func makeIterator() -> EventLoopIterator { EventLoopIterator(loops) }

  /// Ends the group: closes every channel, fails what was scheduled with `EventLoopError.shutdown`, and ends
  /// the threads.
  ///
  /// You may call it again: each callback is called once the threads have ended.
  ///
  /// - Parameters:
  ///   - queue: Where `callback` is called.
  ///   - callback: Called once, with nil.
  ///
  /// The corresponding libuv function is `uv_loop_close`.
  public func shutdownGracefully(
    queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let notify: Waiter = { queue.async { callback(nil) } }
    enum Next { case end, wait, notify }
    let next = phase.withLock { phase -> Next in
      switch phase {
      case .running:
        phase = .ending([notify])
        return .end
      case .ending(let waiters):
        phase = .ending(waiters + [notify])
        return .wait
      case .ended: return .notify
      }
    }
    switch next {
    case .wait: return
    case .notify: return notify()
    case .end: end()
    }
  }

  private func end() {
    for loop in loops {
      // A loop that has ended already refuses this.
      try? loop.loopExecutor.execute { uv in
        loop.end()
        // The channels' last events come before the stop.
        uv.queueMicrotask { uv.queueMicrotask { uv.stop() } }
      }
    }
    Task {
      await threads.ended()
      let waiters = phase.withLock { phase -> [Waiter] in
        guard case .ending(let waiters) = phase else { return [] }
        phase = .ended
        return waiters
      }
      for loop in loops { loop.group.withLock { $0 = nil } }
      for notify in waiters { notify() }
    }
  }
}

extension UVEventLoopGroup: CustomStringConvertible {
  /// How many loops the group has.
  public var description: String { "UVEventLoopGroup(\(loops.count) loops)" }
}
#endif
