import Synchronization
import UV
import UVTLS

/// The state that all connections share, whichever loop serves them.
final class Service: Sendable {
  let root: FilePath
  let listsDirectories: Bool
  let maxHead: Int
  let idleTimeout: Duration
  private let maxConnections: Int
  private let tls: TLSContext?
  private let connections = Atomic(0)
  private let answers = Atomic(0)
  /// The files as each loop knows them. A loop's own files need no lock.
  private let sites: LoopLocal<Site>

  init(_ options: FileServer, root: FilePath) throws(UVError) {
    self.root = root
    listsDirectories = options.listing
    maxHead = options.maxHead
    idleTimeout = .seconds(options.idleTimeout)
    maxConnections = options.maxConnections
    if let certificate = options.tlsCertificate, let key = options.tlsKey {
      let identity = try TLSIdentity(certificateChain: certificate, privateKey: key)
      tls = try .server(identity, protocols: ["http/1.1"])
    } else {
      tls = nil
    }
    let lists = options.listing
    sites = LoopLocal { loop in Site(loop, root: root, listsDirectories: lists) }
  }

  var answerCount: Int { answers.load(ordering: .relaxed) }

  func didAnswer(_ count: Int) { answers.add(count, ordering: .relaxed) }

  /// Serves a connection until it ends.
  func serve(_ plain: TCPConnection) async {
    defer {
      plain.close()
      connections.subtract(1, ordering: .relaxed)
    }
    let isFull = connections.add(1, ordering: .relaxed).newValue > maxConnections
    do throws(UVError) {
      // An answer is written whole, so the system needn't wait for more of it.
      try plain.setNoDelay()
      if let tls {
        let secured = try await plain.loop.tls.secure(plain, tls).value
        defer { secured.close() }
        try await serve(secured, isFull)
      } else {
        try await serve(plain, isFull)
      }
    } catch {
      switch error.code {
      // The peer has gone, is too slow, or doesn't speak TLS: no news. Nor is the end of this server.
      case .connectionReset, .brokenPipe, .notConnected, .timedOut, .endOfFile, .tls, .tlsTruncated,
        .cancelled:
        break
      default: try? await plain.loop.standardError.write(Bytes("FileServer: \(error)\n")).value
      }
    }
  }

  /// A connection with TLS is a stream of bytes as any other, so the rest of the program doesn't know the difference.
  private func serve(_ connection: ByteStream, _ isFull: Bool) async throws(UVError) {
    let session = Session(connection, sites[connection.loop], self)
    if isFull { try await session.refuse(.serviceUnavailable) } else { try await session.run() }
  }
}
