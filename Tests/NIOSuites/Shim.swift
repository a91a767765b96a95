// Takes the place of NIOPosix's loops in others' own tests: names of this module come before imported ones.
import NIOCore
import UV
import UVNIO

typealias MultiThreadedEventLoopGroup = UVEventLoopGroup

extension UVEventLoopGroup {
  convenience init(numberOfThreads: Int) { try! self.init(count: numberOfThreads) }

  static let singleton = UVEventLoopGroup(numberOfThreads: 2)

  static var currentEventLoop: (any NIOCore.EventLoop)? { UV.EventLoop.current?.nio }

  /// Runs a loop on the calling thread until it is shut down.
  static func withCurrentThreadAsEventLoop(_ body: @escaping (any NIOCore.EventLoop) -> Void) {
    try! UV.EventLoop.runCallbacks { body($0.nio) }
  }

  static func withEventLoopGroup<Value>(
    numberOfThreads: Int, _ body: (UVEventLoopGroup) async throws -> Value
  ) async throws -> Value {
    let group = UVEventLoopGroup(numberOfThreads: numberOfThreads)
    do {
      let value = try await body(group)
      try await group.shutdownGracefully()
      return value
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
  }
}
