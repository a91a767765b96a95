// Hummingbird's own application, and AsyncHTTPClient, on either kind of loop:
//   EcosystemApp serve uv|posix LOOPS [CERTIFICATE KEY [http2]]   `uv-on-loop` and `posix-on-loop` for tasks on the first loop
//   EcosystemApp fetch uv|posix URL COUNT
//   EcosystemApp sockets
import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import UVNIO

/// Knows the loop of its connection.
struct Context: RequestContext {
  var coreContext: CoreRequestContextStorage
  let loop: any EventLoop

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    loop = source.channel.eventLoop
  }
}

/// Puts tasks on a loop of NIOPosix's, which has nothing for it.
final class LoopTasks: TaskExecutor {
  let loop: any EventLoop

  init(loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

@main
struct EcosystemApp {
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch (words.first, words.count) {
    case ("serve", 3...): try await serve(words[1], Int(words[2])!, Array(words[3...]))
    case ("fetch", 4): try await fetch(words[1], words[2], Int(words[3])!)
    case ("sockets", 1): try await Sockets.run()
    default:
      print(
        "EcosystemApp serve uv|posix[-on-loop] LOOPS [CERTIFICATE KEY [http2]], fetch uv|posix URL COUNT, or sockets"
      )
      exit(2)
    }
  }

  static func group(_ kind: String, _ count: Int) throws -> any EventLoopGroup {
    kind.hasPrefix("uv")
      ? try UVEventLoopGroup(count: count) : MultiThreadedEventLoopGroup(numberOfThreads: count)
  }

  static func serve(_ kind: String, _ loops: Int, _ tls: [String]) async throws {
    let router = Router(context: Context.self)
    router.get("/") { _, _ in "Hello from Hummingbird.\n" }
    router.get("/loop") { _, context in "\(type(of: context.loop))\n" }
    router.post("/echo") { request, _ in
      Response(status: .ok, body: ResponseBody(asyncSequence: request.body))
    }
    var server = HTTPServerBuilder.http1()
    if tls.count >= 2 {
      let chain = try NIOSSLCertificate.fromPEMFile(tls[0]).map { NIOSSLCertificateSource.certificate($0) }
      let key = try NIOSSLPrivateKey(file: tls[1], format: .pem)
      let configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain, privateKey: .privateKey(key))
      server =
        tls.last == "http2"
        ? try .http2Upgrade(tlsConfiguration: configuration) : try .tls(tlsConfiguration: configuration)
    }
    var logger = Logger(label: "EcosystemApp")
    logger.logLevel = .error
    let group = try group(kind, loops)
    let application = Application(
      router: router, server: server, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        print("listening on 127.0.0.1:\(channel.localAddress!.port!)")
        fflush(nil)
      }, eventLoopGroupProvider: .shared(group), logger: logger)
    if kind.hasSuffix("-on-loop") {
      // Application's tasks inherit this. With one loop, no request changes threads.
      let loop = group.any()
      let executor = (loop as? UVEventLoop)?.taskExecutor ?? LoopTasks(loop: loop)
      try await Task(executorPreference: executor) { try await application.runService() }.value
    } else {
      try await application.runService()
    }
    try await group.shutdownGracefully()
  }

  /// Asks `count` times, 20 at a time, then has 10 MiB echoed, and prints what has come.
  static func fetch(_ kind: String, _ url: String, _ count: Int) async throws {
    let group = try group(kind, 2)
    var configuration = HTTPClient.Configuration()
    configuration.tlsConfiguration = .makeClientConfiguration()
    configuration.tlsConfiguration?.certificateVerification = .none
    let client = HTTPClient(eventLoopGroup: group, configuration: configuration)
    let request = HTTPClientRequest(url: url + "/")
    var versions: Set<String> = []
    var bytes = 0
    try await withThrowingTaskGroup(of: (String, Int).self) { tasks in
      for number in 0..<count {
        if number >= 20, let (version, size) = try await tasks.next() {
          versions.insert(version)
          bytes += size
        }
        tasks.addTask {
          let answer = try await client.execute(request, timeout: .seconds(30))
          return ("\(answer.version)", try await answer.body.collect(upTo: 1 << 20).readableBytes)
        }
      }
      for try await (version, size) in tasks {
        versions.insert(version)
        bytes += size
      }
    }
    var echo = HTTPClientRequest(url: url + "/echo")
    echo.method = .POST
    let body = ByteBuffer(bytes: (0..<10 << 20).map { UInt8(truncatingIfNeeded: $0) })
    echo.body = .bytes(body)
    let echoed = try await client.execute(echo, timeout: .seconds(60)).body.collect(upTo: 11 << 20)
    print(
      "\(count) answers, \(bytes) bytes, \(versions.sorted().joined(separator: " ")), echo \(echoed == body)")
    try await client.shutdown()
    try await group.shutdownGracefully()
  }
}
