// Takes the place of NIOPosix's own parts in NIOPosix's tests, beside Shim.swift: what they name, and libuv
// has no counterpart of. The tests that use it are left out; they must compile.
import NIOCore
import UVNIO

@testable import NIOPosix

extension UVEventLoopGroup {
  convenience init(
    threadInitializers: [(NIOThread) -> Void], metricsDelegate: (any NIOEventLoopMetricsDelegate)?
  ) {
    fatalError("NIOPosix's threads")
  }

  convenience init(pinnedCPUIDs: [Int]) { fatalError("NIOPosix's threads") }
}

extension UVServerBootstrap {
  func bind(to address: VsockAddress) -> EventLoopFuture<any Channel> { fatalError("vsock") }

  func bind<Output: Sendable>(
    to address: VsockAddress,
    childChannelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> NIOAsyncChannel<Output, Never> { fatalError("vsock") }
}

extension UVClientBootstrap {
  func connect(to address: VsockAddress) -> EventLoopFuture<any Channel> { fatalError("vsock") }

  func connect<Output: Sendable>(
    to address: VsockAddress, channelInitializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
  ) async throws -> Output { fatalError("vsock") }
}

extension UVDatagramBootstrap {
  func protocolSubtype(_ subtype: NIOBSDSocket.ProtocolSubtype) -> Self {
    protocolSubtype(NIOIPProtocol(Int(subtype.rawValue)))
  }
}
