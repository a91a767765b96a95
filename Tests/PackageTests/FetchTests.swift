import Foundation
import Testing

/// What a package fetches and compiles that depends on this one: what it uses, and nothing else.
@Suite(.serialized) struct FetchTests {
  @Test(
    "Programs that use UV, UVPromises, UVTLS and UVDNS fetch swift-system alone and need no trait; each compiles what it uses"
  )
  func withoutTraits() throws {
    let consumer = try Self.consumer(of: ["UV", "UVPromises", "UVTLS", "UVDNS"])
    #expect(try consumer.fetched() == ["swift-uv", "swift-system"])
    #expect(try consumer.plan(of: "UVUser").modules == Self.system.union(["UVUser", "UV"]))
    #expect(
      try consumer.plan(of: "UVPromisesUser").modules
        == Self.system.union(["UVPromisesUser", "UV", "UVPromises"]))
    #expect(
      try consumer.plan(of: "UVTLSUser").modules == Self.system.union(["UVTLSUser", "UV", "UVTLS"]))
    #expect(
      try consumer.plan(of: "UVDNSUser").modules == Self.system.union(["UVDNSUser", "UV", "UVDNS"]))
    #expect(try consumer.plan(of: "UVUser").link.contains("\"-luv\""))
  }

  @Test func `A program that uses StallWatch compiles that and its C part alone`() throws {
    let consumer = try Self.consumer(of: ["StallWatch", "UVRxStream"])
    #expect(try consumer.fetched() == ["swift-uv", "swift-system"])
    let plan = try consumer.plan(of: "StallWatchUser")
    #expect(plan.modules == ["StallWatchUser", "StallWatch", "CStallWatch"])
    #expect(!plan.link.contains("\"-luv\""))
    #expect(
      try consumer.plan(of: "UVRxStreamUser").modules
        == Self.system.union(["UVRxStreamUser", "UV", "UVRxStream"]))
  }

  @Test func `A program that uses UVFutures asks for the trait, and fetches OpenCombine besides`() throws {
    let consumer = try Self.consumer(of: ["UVFutures"], traits: #", traits: [.defaults, "Futures"]"#)
    #expect(try consumer.fetched() == ["swift-uv", "swift-system", "OpenCombine"])
    let combine: Set = ["OpenCombine", "OpenCombineDispatch", "COpenCombineHelpers"]
    #expect(
      try consumer.plan(of: "UVFuturesUser").modules
        == Self.system.union(combine).union(["UVFuturesUser", "UV", "UVFutures"]))
  }

  @Test(
    "A program that uses UVService asks for its trait, and fetches swift-service-lifecycle, logs, metrics and traces besides"
  )
  func service() throws {
    let consumer = try Self.consumer(of: ["UVService"], traits: #", traits: [.defaults, "Service"]"#)
    #expect(
      try consumer.fetched() == [
        "swift-uv", "swift-system", "swift-service-lifecycle", "swift-log", "swift-metrics",
        "swift-distributed-tracing",
        // What swift-service-lifecycle needs itself.
        "swift-async-algorithms", "swift-collections",
      ])
    let modules = try consumer.plan(of: "UVServiceUser").modules
    #expect(
      modules.isSuperset(
        of: Self.system.union(["UVServiceUser", "UV", "UVStalls", "UVService", "ServiceLifecycle", "Logging"])
      ))
    #expect(modules.isDisjoint(with: ["OpenCombine", "UVPromises", "UVFutures", "UVTLS"]))
  }

  @Test("A program that uses UVNIO asks for its trait, and fetches swift-nio and what that needs")
  func nio() throws {
    let consumer = try Self.consumer(of: ["UVNIO"], traits: #", traits: [.defaults, "NIO"]"#)
    #expect(
      try consumer.fetched() == [
        "swift-uv", "swift-system", "swift-nio", "swift-atomics", "swift-collections",
      ])
    let modules = try consumer.plan(of: "UVNIOUser").modules
    #expect(modules.isSuperset(of: Self.system.union(["UVNIOUser", "UV", "UVNIO", "NIOCore"])))
    #expect(
      modules.isDisjoint(with: ["NIOPosix", "NIOHTTP1", "OpenCombine", "Logging", "UVTLS", "UVService"]))
  }

  @Test func `A program that uses UVHTTP asks for its trait, and fetches swift-http-types`() throws {
    let consumer = try Self.consumer(of: ["UVHTTP"], traits: #", traits: [.defaults, "HTTP"]"#)
    #expect(try consumer.fetched() == ["swift-uv", "swift-system", "swift-http-types"])
    #expect(
      try consumer.plan(of: "UVHTTPUser").modules
        == Self.system.union(["UVHTTPUser", "UV", "UVHTTP", "HTTPTypes"]))
  }

  @Test("What is built on UVHTTP fetches no more than that", arguments: ["UVHTTPFiles", "UVHTTPCompression"])
  func onHTTP(module: String) throws {
    let consumer = try Self.consumer(of: [module], traits: #", traits: [.defaults, "HTTP"]"#)
    #expect(try consumer.fetched() == ["swift-uv", "swift-system", "swift-http-types"])
    #expect(
      try consumer.plan(of: "\(module)User").modules
        == Self.system.union(["\(module)User", module, "UV", "UVHTTP", "HTTPTypes"]))
  }

  @Test(
    "A program that uses UVDiagnostics fetches no more than UVHTTP does, and compiles what reads stacks besides"
  )
  func diagnostics() throws {
    let consumer = try Self.consumer(of: ["UVDiagnostics"], traits: #", traits: [.defaults, "HTTP"]"#)
    #expect(try consumer.fetched() == ["swift-uv", "swift-system", "swift-http-types"])
    #expect(
      try consumer.plan(of: "UVDiagnosticsUser").modules
        == Self.system.union([
          "UVDiagnosticsUser", "UVDiagnostics", "UV", "UVHTTP", "HTTPTypes", "UVStalls", "StallWatch",
          "CStallWatch",
        ]))
  }

  @Test func `A program that uses UVStalls of UVDiagnostics alone needs no trait`() throws {
    let consumer = try Self.consumer(of: ["UVDiagnostics"])
    #expect(try consumer.fetched() == ["swift-uv", "swift-system"])
    let modules = try consumer.plan(of: "UVDiagnosticsUser").modules
    #expect(modules.isSuperset(of: Self.system.union(["UV", "UVStalls", "StallWatch"])))
    #expect(!modules.contains("HTTPTypes"))
  }

  @Test func `Without the trait that links libuv, none is linked`() throws {
    let consumer = try Self.consumer(of: ["UV"], traits: ", traits: []")
    #expect(try !consumer.plan(of: "UVUser").link.contains("\"-luv\""))
  }

  /// SwiftPM before 6.4 names the enabled traits to the compiler in an order that each new plan draws anew.
  /// Another order is another command, and so compiles every module again.
  @Test func `One trait is enabled by default, in a checkout and in a consumer`() throws {
    #expect(try Self.defaultTraits(in: Checkout.root) == ["LinkLibuv"])
    let consumer = try Self.consumer(of: ["UV"])
    #expect(try consumer.traits() == ["LinkLibuv"])
  }

  @Test func `A clone has the same traits by default, wherever it lies and with any permissions`() throws {
    let clone = try Consumer.clone(into: "checkouts")
    let manifest = clone.appendingPathComponent("Package.swift").path
    for permissions in [0o644, 0o444] {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: manifest)
      #expect(try Self.defaultTraits(in: clone) == ["LinkLibuv"])
    }
  }

  private static func defaultTraits(in folder: URL) throws -> [String]? {
    let checkout = try runProgram(
      URL(fileURLWithPath: "/usr/bin/env"), ["swift", "package", "--ignore-lock", "dump-package"], in: folder)
    let text = try #require(checkout.output.firstIndex(of: "{").map { checkout.output[$0...] })
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(text.utf8))
    return manifest.traits.first { $0.name == "default" }?.enabledTraits
  }

  /// What is used of a manifest as SwiftPM reads it.
  private struct Manifest: Decodable {
    struct Trait: Decodable {
      var name: String
      var enabledTraits: [String]
    }
    var traits: [Trait]
  }

  @Test(
    "A module without its trait is compiled, and says at its use what to write",
    arguments: [
      ("UVFutures", "Futures", "var kept: [AnyCancellable] = []"),
      (
        "UVFutures", "Futures",
        "func sink(_ request: Request<Int>) { _ = request.publisher().sink { number in print(number) } }"
      ),
      ("UVFutures", "Futures", "func sink(_ events: Ticks) { _ = events.publisher() }"),
      (
        "UVService", "Service",
        "func run() { let service = EventLoopService(logger: Logger(label: \"server\")) { _ in } }"
      ),
      ("UVHTTP", "HTTP", "func serve(_ loop: EventLoop) throws { _ = try loop.http.listen(port: 8080) }"),
      ("UVHTTP", "HTTP", "func ask(_ loop: EventLoop) { _ = HTTPClient(loop) }"),
      ("UVHTTP", "HTTP", "func answer(_ exchange: HTTPExchange) {}"),
      ("UVHTTPFiles", "HTTP", #"func serve(_ loop: EventLoop) { _ = HTTPFiles(at: "public", on: loop) }"#),
      ("UVHTTPCompression", "HTTP", "func compress() { _ = HTTPCompression() }"),
      (
        "UVHTTPFiles", "HTTP",
        "func serve(_ loop: EventLoop) { let files = HTTPFiles(at: \"public\", on: loop) }"
      ),
      (
        "UVDiagnostics", "HTTP",
        "func show(_ loop: EventLoop) throws { print(try loop.diagnostics.listen(on: .port(0)).url) }"
      ),
      ("UVNIO", "NIO", "func group() throws { _ = try UVEventLoopGroup(count: 2) }"),
      ("UVNIO", "NIO", "func serve(_ group: UVEventLoopGroup) { _ = UVServerBootstrap(group: group) }"),
    ])
  func theError(module: String, trait: String, use: String) throws {
    let exports = Checkout.root.appendingPathComponent("Sources/\(module)/Exports.swift").path
    let program = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).swift")
    defer { try? FileManager.default.removeItem(at: program) }
    /// What the compiler says of the module's only file without its trait, and of a program beside it.
    func compiled(_ text: String) throws -> (output: String, status: Int32) {
      try "import UV\n\(text)\n".write(to: program, atomically: true, encoding: .utf8)
      let options = ["-typecheck", "-module-name", "Program", "-parse-as-library", "-swift-version", "6"]
      return try runProgram(
        URL(fileURLWithPath: "/usr/bin/env"),
        ["swiftc"] + options + Checkout.moduleArguments() + [exports, program.path])
    }
    let unused = try compiled("")
    #expect(unused.status == 0, "\(unused.output)")
    let used = try compiled(use)
    #expect(used.status != 0)
    #expect(used.output.contains(#"error: "#))
    #expect(used.output.contains(#"traits: [.defaults, "\#(trait)"]"#))
  }

  /// What `FilePath` comes from.
  private static let system: Set = ["SystemPackage", "CSystem", "CUV"]

  /// A package with a program for each product, of which nothing has been built: only its plan is made.
  private static func consumer(of products: [String], traits: String = "") throws -> Consumer {
    let targets = products.map {
      #".executableTarget(name: "\#($0)User", dependencies: [.product(name: "\#($0)", package: "swift-uv")]),"#
    }
    let consumer = try Consumer(
      products[0] + (traits.isEmpty ? "" : "WithTraits"),
      manifest: """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
          name: "consumer", platforms: [.macOS(.v26)], dependencies: [\(try Consumer.dependency(traits: traits))],
          targets: [
            \(targets.joined(separator: "\n    "))
            .executableTarget(name: "Nothing"),
          ])
        """,
      sources: Dictionary(uniqueKeysWithValues: (products.map { $0 + "User" } + ["Nothing"]).map { ($0, "") })
    )
    let build = try consumer.swift(["build", "--disable-sandbox", "--product", "Nothing"])
    #expect(build.status == 0, "\(build.output.suffix(2000))")
    return consumer
  }
}
