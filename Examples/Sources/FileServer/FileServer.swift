// Serves the files of a directory over HTTP/1.1: `FileServer --root DIRECTORY`, `FileServer --help`.
//
//   Service.swift      what all connections share: counters, TLS
//   Answers.swift      the answers to requests, and Failure.swift those without a file
//   RequestPath.swift  the path in a request, which can't leave the root
//   Conditions.swift   whether a client needs a file, and ByteRanges.swift which parts of it
//   Site.swift         the files, and Page.swift one of them as a loop remembers it
//
// Small files are kept in memory for a second, and then looked at again. The bytes of large files go from the
// file to the connection inside the system.
import ArgumentParser
import UVHTTP

@main
struct FileServer: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serves the files of a directory over HTTP/1.1.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 8080
  @Option(help: "The directory whose files are served. Names that begin with a dot aren't.") var root = "."
  @Option(help: "How many loops serve connections, each on a thread of its own.") var loops = 1
  @Option(help: "The certificate chain for HTTPS, a file in PEM form.") var tlsCertificate: String?
  @Option(help: "The private key for HTTPS, a file in PEM form.") var tlsKey: String?
  @Option(help: "How many connections may be open at a time. Others are told to come back later.")
  var maxConnections = 10_000
  @Option(help: "How many bytes the first line of a request may have, and how many its fields.")
  var maxHead = 16 * 1024
  @Option(help: "How many seconds a client may be silent.") var idleTimeout = 60
  @Option(help: "How many seconds the head of a request may take, once it has begun.") var headTimeout = 20
  @Option(help: "How many bytes of a long answer a client has to take in a second, beyond the idle timeout.")
  var minRate = 1024
  @Option(help: "After how many seconds a connection ends with the answer that is made then.") var lifetime =
    3600
  @Option(help: "How many seconds a client gets to take the last answer, and to end what it sends.")
  var farewell = 5
  @Option(help: "How many seconds connections get to end after SIGTERM.") var grace = 10
  @Flag(inversion: .prefixedNo, help: "Whether to list directories that have no index.html.") var listing =
    true

  /// What a client may make the server spend.
  var limits: HTTPLimits {
    var limits = HTTPLimits()
    (limits.requestLine, limits.fields, limits.minimumRate) = (maxHead, maxHead, minRate)
    (limits.idleTimeout, limits.headTimeout) = (.seconds(idleTimeout), .seconds(headTimeout))
    (limits.lifetime, limits.farewell) = (.seconds(lifetime), .seconds(farewell))
    return limits
  }

  func validate() throws {
    guard 0...65535 ~= port else { throw ValidationError("--port is 0 to 65535.") }
    guard loops >= 1, maxConnections >= 1, idleTimeout >= 1 else {
      throw ValidationError("--loops, --max-connections and --idle-timeout are 1 or more.")
    }
    guard headTimeout >= 1, minRate >= 1, lifetime >= 1, farewell >= 1 else {
      throw ValidationError("--head-timeout, --min-rate, --lifetime and --farewell are 1 or more.")
    }
    guard 64...(1 << 20) ~= maxHead else { throw ValidationError("--max-head is 64 to 1048576.") }
    guard 0...3600 ~= grace else { throw ValidationError("--grace is 0 to 3600 seconds.") }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key come together.")
    }
  }

  func run() throws {
    let group = try EventLoopGroup(count: loops)
    // The loop of this thread has the signals. Those of the group have the connections.
    try EventLoop.run { loop in
      let service = try Service(self, root: await loop.files.realpath(root).value)
      let hangups = try loop.signals(.hangup)
      let address = try await group.serve(host: host, port: port, backlog: 4096) { await service.serve($0) }
      // `kill -USR1` shows what each loop waits for.
      try await group.printSnapshots(on: .user1)
      let output = try loop.standardOutput
      // A predecessor may end now.
      try ServiceManager.notify(.ready)
      try await output.write(Bytes("listening on \(address)\n")).value
      let replacing = loop.spawn { await replace(hangups) }
      // A second signal gives the connections no more time.
      let report = try await group.shutdownGracefully(
        onSignals: [.terminate, .interrupt], within: .seconds(grace), on: loop
      ).value
      replacing.cancel()
      try await output.write(Bytes("answered \(service.answerCount), cut off \(report.count)\n")).value
    }
  }

  /// `kill -HUP` starts the program anew, a new version of it perhaps. Once that serves, this one ends as with
  /// SIGTERM.
  func replace(_ hangups: SignalWatcher) async {
    let loop = hangups.loop
    while (try? await hangups.next().value) != nil {
      do throws(UVError) {
        let successor = try await loop.handover().value
        try await loop.standardOutput.write(Bytes("process \(successor) takes over\n")).value
        return try loop.processes.kill(SystemInfo.processID, .terminate)
      } catch { try? await loop.standardError.write(Bytes("FileServer: \(error)\n")).value }
    }
  }
}
