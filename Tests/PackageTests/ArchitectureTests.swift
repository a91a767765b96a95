import Foundation
import Testing

/// The arrows between modules: who may import whom.
@Suite struct ArchitectureTests {
  @Test(arguments: [
    (
      "Sources/UV",
      [
        "UVPromises", "UVFutures", "UVRxStream", "OpenCombine", "Combine", "Foundation", "ArgumentParser",
        "Logging", "Metrics",
      ]
    ),
    ("Sources/UVPromises", ["UVFutures", "OpenCombine", "Combine", "CUV"]),
    ("Sources/UVFutures", ["UVPromises", "UVRxStream", "CUV"]),
    ("Sources/UVRxStream", ["UVPromises", "UVFutures", "OpenCombine", "Combine", "CUV"]),
    ("Sources/StallWatch", ["UV", "UVPromises", "UVFutures", "UVRxStream", "CUV", "Foundation"]),
    ("Sources/UVStalls", ["UVPromises", "UVFutures", "UVRxStream", "Foundation"]),
    ("Sources/UVTLS", ["UVPromises", "UVFutures", "CUV", "Foundation"]),
    ("Sources/UVDNS", ["UVPromises", "UVFutures", "UVTLS", "CUV", "Foundation"]),
    ("Sources/UVHTTP", ["UVPromises", "UVFutures", "UVTLS", "UVService", "CUV", "Foundation"]),
    ("Sources/UVHTTPFiles", ["UVPromises", "UVFutures", "UVTLS", "UVService", "CUV", "Foundation"]),
    ("Sources/UVHTTPCompression", ["UVPromises", "UVFutures", "UVTLS", "UVService", "CUV", "Foundation"]),
    ("Sources/UVService", ["UVPromises", "UVFutures", "UVTLS", "UVHTTP", "CUV", "Foundation"]),
    ("Sources/UVDiagnostics", ["UVPromises", "UVFutures", "UVTLS", "UVService", "CUV", "Foundation"]),
    (
      "Sources/UVNIO",
      ["UVPromises", "UVFutures", "UVTLS", "UVService", "CUV", "Foundation", "NIOPosix", "NIO"]
    ),
    ("bench/Harness", ["UV", "CUV", "UVPromises", "UVFutures"]),
    ("Examples", ["CUV"]),
  ])
  func imports(folder: String, forbidden: [String]) throws {
    let files = Checkout.sources(folder)
    #expect(!files.isEmpty)
    for file in files {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        guard let module = Self.module(importedBy: line) else { continue }
        #expect(!forbidden.contains(module), "\(file.lastPathComponent) imports \(module)")
      }
    }
  }

  @Test func `No two paths differ in case alone, which Apple's file systems don't distinguish`() throws {
    let files = FileManager.default.enumerator(
      at: Checkout.root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    let paths = try #require(files?.allObjects as? [URL]).map(\.path)
    #expect(paths.count > 100)
    let clashes = Dictionary(grouping: paths) { $0.lowercased() }.values.filter { $0.count > 1 }
    #expect(clashes.isEmpty, "\(clashes)")
  }

  /// Where this program was built to. A debug build has the compiler's index there.
  static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  static let index = products.appendingPathComponent("index/store").path

  @Test(
    "A layer of the library uses only what is in the layers below it",
    .enabled(if: FileManager.default.fileExists(atPath: index)))
  func arrows() throws {
    let script = Checkout.root.appendingPathComponent("Tests/Suites/arrows")
    let (output, status) = try runProgram(script, ["--products", Self.products.path])
    #expect(status == 0, "\(output)")
  }

  @Test("What Combine has for each number of publishers is as Tests/run arities writes it")
  func arities() throws {
    let (output, status) = try runProgram(Checkout.root.appendingPathComponent("Tests/Suites/arities"))
    #expect(status == 0, "\(output)")
  }

  /// Each kind of unsafe code, and the folders and files below `Sources` where it may stand.
  static let places: [(kind: String, places: [String])] = [
    (
      "Unmanaged",
      ["UV/", "UVTLS/", "UVDNS/Channel.swift", "UVFutures/Operators/FlatMapNode.swift", "Hosts/"]
    ),
    (
      "Pointer<",
      [
        "UV/", "StallWatch/", "UVStalls/", "UVPromises/Core/", "UVFutures/Core/", "UVTLS/", "UVDNS/",
        "Hosts/", "UVNIO/Channels/Socket", "UVNIO/Channels/Datagrams/DatagramBatch.swift",
        "UVHTTP/WebSocket/Parsing/FrameMask.swift", "UVHTTPCompression/Deflater.swift",
        "UVHTTPCompression/Inflater.swift",
      ]
    ),
    ("unsafeBitCast", ["UV/Tasks/"]),
    ("unowned(unsafe)", ["UV/", "UVPromises/Core/", "UVFutures/Future/", "UVFutures/Operators/"]),
    ("unsafeDowncast", ["UV/", "UVPromises/", "UVFutures/", "UVRxStream/Future/"]),
    (
      "nonisolated(unsafe)",
      [
        "UV/Loop/", "UV/Group/", "UV/Values/", "UV/Files/FileSystem+Trees.swift",
        "StallWatch/StallWatcher.swift", "UVTLS/TLSSession.swift",
        "UVNIO/Loop/UVEventLoop.swift", "Hosts/Node/Sources/Node/NodeValue.swift",
      ]
    ),
    (
      "@unchecked Sendable",
      [
        "UV/Threads/", "UV/Requests/RemoteRequest.swift", "UV/Tasks/", "UV/Time/LoopClock.swift",
        "UV/Values/", "UVFutures/Core/", "UVRxStream/Dispatch/Dispatch.swift",
        "UVPromises/Dispatchers/", "UVPromises/Resolver.swift",
        "UVTLS/TLSContext.swift", "UVTLS/TLSIdentity.swift", "UVTLS/SessionCache.swift",
        "UVTLS/TLSTicketKeys.swift", "UVNIO/Loop/", "UVNIO/Channels/", "UVNIO/Bootstraps/Connector.swift",
        "Hosts/Node/Sources/Node/NodeError.swift",
      ]
    ),
    (
      "UnsafeTransfer",
      ["UV/", "UVFutures/", "UVRxStream/", "UVTLS/TLSHandshake.swift"]
    ),
    ("UnsafeContinuation", ["UV/", "UVPromises/Bridges/", "UVFutures/Bridges/"]),
    (
      "@exclusivity(unchecked)",
      [
        "UV/", "UVPromises/", "UVFutures/", "UVRxStream/", "UVTLS/TLSSession.swift",
        "UVHTTP/Server/", "UVHTTP/Client/", "UVHTTP/GatheringWriter.swift",
        "UVNIO/Channels/StreamChannel.swift",
        "UVNIO/Channels/SocketChannel.swift",
      ]
    ),
    ("@preconcurrency", []),
    ("assumeIsolated", ["UVPromises/Dispatchers/MainQueue.swift", "UVNIO/"]),
  ]

  @Test func `Each kind of unsafe code stands where CONTRIBUTING.md says, and each place has some`() throws {
    var unused = Set(Self.places.flatMap { kind, places in places.map { "\(kind) in \($0)" } })
    for file in Checkout.sources("Sources") {
      let path = String(file.path.dropFirst(Checkout.root.appendingPathComponent("Sources/").path.count + 1))
      let code = try Self.code(of: file)
      for (kind, places) in Self.places where code.contains(kind) {
        let used = places.filter { path.hasPrefix($0) }
        #expect(!used.isEmpty, "\(path): \(kind)")
        unused.subtract(used.map { "\(kind) in \($0)" })
      }
    }
    #expect(unused.isEmpty)
  }

  @Test(
    "Tests, faults and styles stand in the layers of the library",
    arguments: ["UVTests", "FaultTests", "StyleTests"])
  func layers(column: String) throws {
    let (layers, folders) = (try Self.folders("Sources/UV"), try Self.folders("Tests/\(column)"))
    #expect(!folders.isEmpty && folders.isSubset(of: layers), "\(folders.subtracting(layers))")
  }

  private static func folders(_ path: String) throws -> Set<String> {
    let folder = Checkout.root.appendingPathComponent(path)
    return Set(
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter(\.hasDirectoryPath).map(\.lastPathComponent))
  }

  @Test func `A file with unsafe code says why it is sound`() throws {
    let kinds = [
      "Unmanaged<", "Unmanaged.", "unsafeBitCast", "unowned(unsafe)", "nonisolated(unsafe)",
      "@unchecked Sendable",
      "UnsafeTransfer(",
    ]
    for file in Checkout.sources("Sources") {
      let code = try Self.code(of: file)
      guard let kind = kinds.first(where: code.contains) else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains(/\/\/.*([Ss]ound|[Bb]alance)/), "\(file.lastPathComponent): \(kind)")
    }
  }

  /// A source without its comments.
  private static func code(of file: URL) throws -> String {
    try String(contentsOf: file, encoding: .utf8).replacing(/\/\/.*/, with: "")
  }

  @Test func examplesNeedNoAnnotation() throws {
    for file in Checkout.sources("Examples/Sources") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for word in ["@unchecked", "nonisolated(unsafe)", "@preconcurrency"] {
        #expect(!text.contains(word), "\(file.lastPathComponent): \(word)")
      }
    }
  }

  private static func module(importedBy line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
      words[..<index].allSatisfy({
        $0.hasPrefix("@") || ["public", "internal", "package", "private"].contains($0)
      })
    else { return nil }
    return words[index + 1].split(separator: ".").first.map(String.init)
  }
}
