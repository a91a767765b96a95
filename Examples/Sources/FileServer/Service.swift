import Synchronization
import UVHTTP
import UVTLS

/// The state that all connections share, whichever loop serves them.
final class Service: Sendable {
  private let limits: HTTPLimits
  private let maxConnections: Int
  private let tls: TLSContext?
  private let connections = Atomic(0)
  /// The connections that get the answer that there are too many. They don't keep others from being served.
  private let refused = Atomic(0)
  private let answers = Atomic(0)
  /// The files as each loop knows them. A loop's own files need no lock.
  private let sites: LoopLocal<Site>

  init(_ options: FileServer, root: FilePath) throws(UVError) {
    limits = options.limits
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

  /// Serves a connection until it ends.
  func serve(_ plain: TCPConnection) async {
    defer { plain.close() }
    if connections.add(1, ordering: .relaxed).newValue <= maxConnections {
      await serve(plain, isFull: false)
      connections.subtract(1, ordering: .relaxed)
    } else {
      connections.subtract(1, ordering: .relaxed)
      // As many get this answer at a time as are served. More get none.
      if refused.add(1, ordering: .relaxed).newValue <= maxConnections { await serve(plain, isFull: true) }
      refused.subtract(1, ordering: .relaxed)
    }
  }

  private func serve(_ plain: TCPConnection, isFull: Bool) async {
    do throws(UVError) {
      guard let tls else { return try await answer(plain, isFull) }
      let secured = try await plain.loop.tls.secure(plain, tls).value
      defer { secured.close() }
      try await answer(secured, isFull)
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

  /// Answers the requests of a connection. One with TLS is a stream of bytes as any other, so the rest of the
  /// program doesn't know the difference.
  private func answer(_ connection: ByteStream, _ isFull: Bool) async throws(UVError) {
    let site = sites[connection.loop]
    var limits = limits
    if isFull { limits.idleTimeout = limits.farewell }
    for try await exchange in connection.loop.http.serve(connection, limits: limits) {
      if isFull {
        let failure = Failure(.serviceUnavailable)
        try await exchange.respond(failure.response, failure.body).value
      } else {
        try await site.answer(exchange)
        answers.add(1, ordering: .relaxed)
      }
    }
  }
}
