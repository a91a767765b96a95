import Synchronization
import UVHTTPFiles
import UVTLS

/// The connections, whichever loop serves them.
final class Service: Sendable {
  private let options: FileServer
  private let tls: TLSContext?
  /// The files as each loop knows them. A loop's own files need no lock.
  private let sites: LoopLocal<HTTPFiles>
  private let connections = Atomic(0)
  /// Those that get the answer that there are too many. They don't keep others from being served.
  private let refused = Atomic(0)
  private let answers = Atomic(0)

  init(_ options: FileServer) throws(UVError) {
    self.options = options
    if let certificate = options.tlsCertificate, let key = options.tlsKey {
      let identity = try TLSIdentity(certificateChain: certificate, privateKey: key)
      tls = try .server(identity, protocols: ["http/1.1"])
    } else {
      tls = nil
    }
    var files = HTTPFilesOptions()
    files.listsDirectories = options.listing
    if options.precompressed { files.contentCodings = ["br", "zstd", "gzip"] }
    let (root, settings) = (FilePath(options.root), files)
    sites = LoopLocal { loop in HTTPFiles(at: root, on: loop, options: settings) }
  }

  var answerCount: Int { answers.load(ordering: .relaxed) }

  /// What a client may make the server spend. One that is refused gets little time.
  private func limits(isFull: Bool) -> HTTPLimits {
    var limits = HTTPLimits()
    (limits.requestLine, limits.fields, limits.minimumRate) = (
      options.maxHead, options.maxHead, options.minRate
    )
    limits.idleTimeout = .seconds(isFull ? options.farewell : options.idleTimeout)
    limits.headTimeout = .seconds(options.headTimeout)
    (limits.lifetime, limits.farewell) = (.seconds(options.lifetime), .seconds(options.farewell))
    return limits
  }

  /// Serves a connection until it ends.
  func serve(_ plain: TCPConnection) async {
    defer { plain.close() }
    if connections.add(1, ordering: .relaxed).newValue <= options.maxConnections {
      await serve(plain, isFull: false)
      connections.subtract(1, ordering: .relaxed)
    } else {
      connections.subtract(1, ordering: .relaxed)
      // As many are refused at a time as are served, with an answer. More get none.
      if refused.add(1, ordering: .relaxed).newValue <= options.maxConnections {
        await serve(plain, isFull: true)
      }
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

  /// Answers the requests of a connection, one that is encrypted or not.
  private func answer(_ connection: ByteStream, _ isFull: Bool) async throws(UVError) {
    let files = sites[connection.loop]
    for try await exchange in connection.loop.http.serve(connection, limits: limits(isFull: isFull)) {
      if isFull {
        let fields: HTTPFields = [.retryAfter: "1", .connection: "close"]
        try await exchange.respond(HTTPResponse(status: .serviceUnavailable, headerFields: fields)).value
      } else {
        try await files.respond(to: exchange).value
        answers.add(1, ordering: .relaxed)
      }
    }
  }
}
