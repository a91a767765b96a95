// Hummingbird's router on libuv's loops: `HummingbirdServer --port 8080`.
import ArgumentParser
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import UVNIO
import UnixSignals

@main
struct HummingbirdServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Routes HTTP requests by Hummingbird's router, on libuv.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 0
  @Option(help: "How many loops, each on a thread of its own.") var loops = 1

  func validate() throws {
    guard 0...65535 ~= port, loops >= 1 else {
      throw ValidationError("--port is 0 to 65535, and --loops is 1 or more.")
    }
  }

  func run() async throws {
    let router = Router()
    router.get("/") { _, _ in "Hello from libuv.\n" }
    router.get("/hello/{name}") { _, context in
      try "Hello, \(context.parameters.require("name"))!\n"
    }
    router.post("/echo") { request, _ in
      Response(status: .ok, body: ResponseBody(asyncSequence: request.body))
    }

    let logger = Logger(label: "HummingbirdServer")
    let group = try UVEventLoopGroup(count: loops)
    let server = RouterServer(
      responder: router.buildResponder(), group: group, host: host, port: port, logger: logger)
    try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
      .run()
    try await group.shutdownGracefully()
  }
}
