// Serves the files of a directory over HTTP/1.1: `FileServer --root DIRECTORY`, `FileServer --help`.
//
// The files are the work of `UVHTTPFiles`. This has the options, and Service.swift the connections.
import ArgumentParser
import UVHTTPFiles

@main
struct FileServer: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Serves the files of a directory over HTTP/1.1.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 8080
  @Option(help: "The directory whose files are served. Names that begin with a dot aren't.") var root = "."
  @Option(help: "How many loops serve connections, each on a thread of its own.") var loops = 1
  @Option(help: "The certificate chain for HTTPS, a file in PEM form.") var tlsCertificate: String?
  @Option(help: "The private key for HTTPS, a file in PEM form.") var tlsKey: String?
  @Option(help: "How many connections may be open at a time. Others get 503.") var maxConnections = 10_000
  @Option(help: "How many bytes the first line of a request may have, and how many its fields.")
  var maxHead = 16 * 1024
  @Option(help: "How many seconds a client may be silent.") var idleTimeout = 60
  @Option(help: "How many seconds the head of a request may take, once it has begun.") var headTimeout = 20
  @Option(help: "How many bytes of a long answer a client has to take in a second, beyond the idle timeout.")
  var minRate = 1024
  @Option(help: "After how many seconds a connection ends with the answer that is made then.")
  var lifetime = 3600
  @Option(help: "How many seconds a client gets to take the last answer, and to end what it sends.")
  var farewell = 5
  @Option(help: "How many seconds connections get to end after SIGTERM.") var grace = 10
  @Flag(inversion: .prefixedNo, help: "Whether to list directories that have no index.html.")
  var listing = true
  @Flag(help: "Whether to send name.br, name.zst or name.gz in place of a file to clients that take it.")
  var precompressed = false

  func validate() throws {
    let limits = [loops, maxConnections, idleTimeout, headTimeout, minRate, lifetime, farewell]
    guard 0...65535 ~= port, limits.allSatisfy({ $0 >= 1 }), 0...3600 ~= grace, 64...(1 << 20) ~= maxHead
    else {
      throw ValidationError("A number is beyond its limits: --port is 0 to 65535, and limits are 1 or more.")
    }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key come together.")
    }
  }

  func run() throws {
    let group = try EventLoopGroup(count: loops)
    // The loop of this thread has the signals. Those of the group have the connections.
    try EventLoop.run { loop in
      // A root that doesn't exist is noticed now, and not by the first client.
      _ = try await loop.files.stat(root).value
      let service = try Service(self)
      let hangups = try loop.signals(.hangup)
      let address = try await group.serve(host: host, port: port, backlog: 4096) { await service.serve($0) }
      // `kill -USR1` shows what each loop waits for.
      try await group.printSnapshots(on: .user1)
      // A predecessor may end now.
      try ServiceManager.notify(.ready)
      try await loop.standardOutput.write(Bytes("listening on \(address)\n")).value
      let replacing = loop.spawn { await replace(hangups) }
      // A second signal gives the connections no more time.
      let report = try await group.shutdownGracefully(
        onSignals: [.terminate, .interrupt], within: .seconds(grace), on: loop
      ).value
      replacing.cancel()
      let end = "answered \(service.answerCount), cut off \(report.count)\n"
      try await loop.standardOutput.write(Bytes(end)).value
    }
  }

  /// `kill -HUP` starts the program anew, a new version of it perhaps. Once that serves, this one ends as with
  /// SIGTERM.
  private func replace(_ hangups: SignalWatcher) async {
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
