import Testing
import UVTLS
import UVTestSupport

/// Programs of others: openssl, curl, Python.
@Suite struct InteroperationTests {
  private let certificates = Certificates.shared

  /// Runs a program to its end; what it has written.
  private nonisolated(nonsending) static func run(
    _ loop: EventLoop, _ program: String, _ arguments: [String], input: Bytes = ""
  ) async throws -> (output: String, status: ChildProcess.ExitStatus) {
    let child = try loop.processes.spawn("env", [program] + arguments, stdio: [.pipe, .pipe, .pipe])
    let errors = loop.spawn { () async throws(UVError) in
      try await child.standardError!.readToEnd(limit: 1 << 20).value
    }
    try await child.standardInput!.write(input).value
    try await child.standardInput!.shutdown().value
    let output = try await child.standardOutput!.readToEnd(limit: 1 << 20).value
    let text =
      String(decoding: output, as: UTF8.self) + String(decoding: try await errors.value, as: UTF8.self)
    return (text, try await child.exit().value)
  }

  /// A server that answers each line, and ends after the first connection.
  private static func serve(_ loop: EventLoop, _ context: TLSContext) throws -> (
    TLSListener, LoopTask<String, UVError>
  ) {
    let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, context)
    let task = loop.spawn { () async throws(UVError) -> String in
      let connection = try await listener.accept().value
      let line = try await connection.readLine(limit: 1000).value ?? ""
      try await connection.write(["you said ", line, "\n"]).value
      try await connection.shutdown().value
      _ = try? await connection.next().value
      let version =
        "\(connection.protocolVersion) \(connection.negotiatedProtocol ?? "-") \(connection.isResumed)"
      connection.close()
      return version
    }
    return (listener, task)
  }

  @Test("openssl s_client speaks with the server, in each version", arguments: ["-tls1_2", "-tls1_3"])
  func opensslClient(version: String) async throws {
    let context = try certificates.server(
      protocols: ["h2", "http/1.1"], clientCertificates: .optional(certificates.trust))
    let (root, directory) = (certificates.path("root.pem"), certificates.directory)
    try await withLoop { loop in
      let session = "\(directory)/session\(version)"
      for isSecond in [false, true] {
        let (listener, task) = try Self.serve(loop, context)
        let port = try listener.localAddress().port
        let (output, _) = try await Self.run(
          loop, "openssl",
          [
            "s_client", "-connect", "127.0.0.1:\(port)", version, "-CAfile", root, "-verify_return_error",
            "-verify_hostname", "localhost", "-servername", "localhost", "-alpn", "http/1.1,h2", "-ign_eof",
            "-cert", "\(directory)/client.pem", "-key", "\(directory)/client.key", "-sess_out", session,
          ]
            + (isSecond ? ["-sess_in", session] : []), input: "hello\n")
        #expect(output.contains("you said hello"), "\(output)")
        let name = version == "-tls1_2" ? "TLSv1.2" : "TLSv1.3"
        #expect(try await task.value == "\(name) h2 \(isSecond)")
        listener.close()
      }
    }
  }

  @Test("openssl s_client refuses what is older than TLS 1.2", arguments: ["-tls1", "-tls1_1"])
  func oldVersions(version: String) async throws {
    let context = try certificates.server()
    try await withLoop { loop in
      let failures = Log<String>()
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, context, onHandshakeFailure: { failures.append($0.message) })
      listener.start { _ in }
      let (output, status) = try await Self.run(
        loop, "openssl",
        [
          "s_client", "-connect", "127.0.0.1:\(try listener.localAddress().port)", version, "-cipher",
          "ALL:@SECLEVEL=0",
        ])
      #expect(!status.isSuccess, "\(output)")
      #expect(output.contains("alert protocol version"), "\(output)")
      #expect(failures.values == ["unsupported protocol"])
      listener.close()
    }
  }

  @Test func `curl fetches from the server and verifies it`() async throws {
    let context = try certificates.server(protocols: ["http/1.1"])
    let root = certificates.path("root.pem")
    let body = Bytes(repeating: 120, count: 300_000)
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, context)
      let serving = loop.spawn { () async throws(UVError) in
        let connection = try await listener.accept().value
        while let line = try await connection.readLine(limit: 1000).value, !line.isEmpty {}
        try await connection.write([Bytes("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"), body])
          .value
        try await connection.shutdown().value
        _ = try? await connection.next().value
        connection.close()
      }
      let port = try listener.localAddress().port
      let (output, status) = try await Self.run(
        loop, "curl", ["-sS", "--cacert", root, "https://localhost:\(port)/", "-4"])
      #expect(status.isSuccess && output.utf8.count == body.count, "\(output.prefix(300))")
      try await serving.value
      listener.close()
    }
  }

  @Test func `Python's ssl speaks with the server, with a client's certificate`() async throws {
    let context = try certificates.server(clientCertificates: .required(certificates.trust))
    let directory = certificates.directory
    try await withLoop { loop in
      let (listener, task) = try Self.serve(loop, context)
      let script = """
        import socket, ssl
        context = ssl.create_default_context(cafile="\(directory)/root.pem")
        context.load_cert_chain("\(directory)/client.pem", "\(directory)/client.key")
        plain = socket.create_connection(("127.0.0.1", \(try listener.localAddress().port)))
        with context.wrap_socket(plain, server_hostname="localhost") as connection:
            connection.sendall(b"from Python\\n")
            print(connection.makefile().read(), connection.version())
            connection.unwrap()
        """
      let (output, status) = try await Self.run(loop, "python3", ["-c", script])
      #expect(status.isSuccess && output.contains("you said from Python"), "\(output)")
      _ = try await task.value
      listener.close()
    }
  }

  @Test("The client speaks with openssl s_server, in each version", arguments: ["-tls1_2", "-tls1_3"])
  func opensslServer(version: String) async throws {
    let (client, directory) = (
      try certificates.client("client", protocols: ["b", "a"]), certificates.directory
    )
    try await withLoop { loop in
      // The system chooses a port that is free, and openssl takes it.
      let probe = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = try Int(probe.localAddress().port)
      try await probe.close().value
      let server = try loop.processes.spawn(
        "openssl",
        [
          "s_server", "-accept", "127.0.0.1:\(port)", version, "-cert", "\(directory)/server.pem", "-key",
          "\(directory)/server.key", "-CAfile", "\(directory)/root.pem", "-Verify", "1", "-alpn", "a,b",
          "-rev",
        ],
        stdio: [.ignore, .ignore, .ignore])
      var connection: TLSConnection?
      while connection == nil {
        do throws(UVError) {
          connection = try await loop.tls.connect(host: "localhost", port: port, client).value
        } catch {
          // It hasn't begun to listen.
          if error.code != .connectionRefused { throw error }
          try await loop.sleep(for: .milliseconds(1)).value
        }
      }
      try await connection!.write("olleh\n").value
      #expect(try await connection!.readLine(limit: 100).value == "hello")
      #expect(connection!.negotiatedProtocol == "a")
      #expect("\(connection!.protocolVersion)" == (version == "-tls1_2" ? "TLSv1.2" : "TLSv1.3"))
      connection!.close()
      try server.kill()
      _ = try await server.exit().value
    }
  }

  @Test func `A peer's requests for new keys and for renegotiation don't disturb the stream`() async throws {
    let context = try certificates.server()
    let root = certificates.path("root.pem")
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, context)
      let port = try listener.localAddress().port
      for (version, command) in [("-tls1_3", "k"), ("-tls1_3", "K"), ("-tls1_2", "R")] {
        let child = try loop.processes.spawn(
          "openssl", ["s_client", "-connect", "127.0.0.1:\(port)", version, "-CAfile", root],
          stdio: [.pipe, .pipe, .pipe])
        child.standardOutput!.start { _ in }
        var received = ""
        child.standardError!.start {
          if case .success(let text?) = $0 { received += String(decoding: text, as: UTF8.self) }
        }
        let connection = try await listener.accept().value
        try await child.standardInput!.write("before\n").value
        #expect(try await connection.readLine(limit: 100).value == "before")
        // s_client takes a line with this letter alone for a command.
        try await child.standardInput!.write(Bytes("\(command)\n")).value
        if command == "R" {
          // The client gives up when its request is refused. Whoever reads sees an end, or an error.
          _ = try? await connection.next().value
        } else {
          try await loop.until { received.contains("KEYUPDATE") }
          try await connection.write("answer\n").value
          try await child.standardInput!.write("after\n").value
          #expect(try await connection.readLine(limit: 100).value == "after")
        }
        connection.close()
        try? child.kill()
        _ = try await child.exit().value
      }
      listener.close()
    }
  }
}
