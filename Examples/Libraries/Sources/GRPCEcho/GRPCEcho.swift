// A gRPC service and its client on libuv's loops: `GRPCEcho serve --port 50051`,
// `GRPCEcho call --port 50051 hello`.
import ArgumentParser
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import NIOCore
import UVNIO

@main
struct GRPCEcho: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The service echo.Echo by gRPC, on libuv.", subcommands: [Serve.self, Call.self])
}

struct Address: ParsableArguments {
  @Option(help: "The address of the server.") var host = "127.0.0.1"
  @Option(help: "The port of the server; serve takes 0 for any that is free.") var port = 0

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port is 0 to 65535.") }
  }
}

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serves until it is told to terminate.")

  @OptionGroup var address: Address
  @Option(help: "How many loops, each on a thread of its own.") var loops = 1

  func validate() throws {
    guard loops >= 1 else { throw ValidationError("--loops is 1 or more.") }
  }

  func run() async throws {
    let group = try UVEventLoopGroup(count: loops)
    let transport = HTTP2ServerTransport.Custom(
      listenerFactory: LibuvListener(group: group, host: address.host, port: address.port))
    let server = GRPCServer(transport: transport, services: [EchoService()])
    let signals = endGracefully(server)
    try await withThrowingTaskGroup { tasks in
      tasks.addTask { try await server.serve() }
      if let address = await transport.listeningAddress?.ipv4 {
        print("listening on \(address.host):\(address.port)")
        fflush(nil)
      }
      try await tasks.waitForAll()
    }
    signals.cancel()
    try await group.shutdownGracefully()
  }

  /// Answers the calls that have begun, and takes no more, when the process is asked to terminate.
  private func endGracefully(_ server: GRPCServer<some ServerTransport>) -> any DispatchSourceSignal {
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    source.setEventHandler { server.beginGracefulShutdown() }
    source.activate()
    return source
  }
}

struct Call: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sends a text to a server, and prints what comes back.")

  @OptionGroup var address: Address
  @Option(help: "How many calls, 100 of them at a time.") var count = 1
  @Argument(help: "The text.") var text: String

  func run() async throws {
    let group = try UVEventLoopGroup(count: 1)
    let transport = try await HTTP2ClientTransport.WrappedChannel.wrapping(
      // A server of gRPC's C library refuses a call that doesn't say whom it is for.
      config: .defaults { $0.http2.authority = address.host }
    ) { [address] configure in
      try await UVClientBootstrap(group: group).connect(host: address.host, port: address.port) {
        configure($0)
      }
    }
    try await withGRPCClient(transport: transport) { client in
      for first in stride(from: 0, to: count, by: 100) {
        try await withThrowingDiscardingTaskGroup { tasks in
          for _ in first..<min(first + 100, count) {
            tasks.addTask { try await echo(text, by: client) }
          }
        }
      }
    }
    print(text)
    try await group.shutdownGracefully()
  }

  private func echo(_ text: String, by client: GRPCClient<HTTP2ClientTransport.WrappedChannel>) async throws {
    let answer = try await client.unary(
      request: ClientRequest(message: Array(text.utf8)), descriptor: EchoService.get, serializer: RawBytes(),
      deserializer: RawBytes(), options: .defaults
    ) { try $0.message }
    guard answer == Array(text.utf8) else {
      throw RPCError(code: .dataLoss, message: "The answer isn't what was sent.")
    }
  }
}
