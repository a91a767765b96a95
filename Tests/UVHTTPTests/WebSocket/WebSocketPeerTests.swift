#if Everything
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// WebSockets that nobody here has written.
@Suite struct WebSocketPeerTests {
  /// A Python that has `websockets`.
  private static let python: String? = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
      .standardized.path
    return ["\(root)/.build/clients/bin/python", "/usr/bin/env"].first { path in
      guard FileManager.default.isExecutableFile(atPath: path) else { return false }
      let arguments = path == "/usr/bin/env" ? ["python3"] : []
      return (try? runProgram(URL(fileURLWithPath: path), arguments + ["-c", "import websockets.sync"]))?
        .status == 0
    }
  }()

  /// A Node that has the class WebSocket, as Node 20 with an option, and later ones.
  private static let node: [String]? = [["--experimental-websocket"], []].first { options in
    let script = "process.exit(typeof WebSocket === 'function' ? 0 : 1)"
    let arguments = ["node"] + options + ["-e", script]
    return (try? runProgram(URL(fileURLWithPath: "/usr/bin/env"), arguments))?.status == 0
  }

  private static func arguments(_ script: String, _ rest: String) -> [String] {
    (python == "/usr/bin/env" ? ["python3"] : []) + ["-c", script, rest]
  }

  /// A server that echoes, and a program that is its client: what that prints.
  private func output(_ program: String, _ arguments: @escaping @Sendable (Int) -> [String]) async throws
    -> String
  {
    makeCertificates()
    return try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let port = Int(try server.localAddress().port)
      let serving = loop.spawn { () async throws in
        for try await exchange in server {
          loop.spawn {
            do {
              let socket = try await exchange.webSocket(protocols: ["a", "b"]).value
              for try await message in socket { try await socket.send(message).value }
            } catch { Issue.record(error) }
          }
        }
      }
      let result = try await loop.processes.run(program, arguments(port)).value
      #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
      server.close()
      try await serving.value
      return "\(result.standardOutput)"
    }
  }

  @Test(
    "Python's websockets sends texts, bytes, fragments and pings to our server",
    .enabled(if: python != nil, "websockets is missing; see Tests/Suites/Parts/clients"))
  func pythonClient() async throws {
    let script = """
      import sys
      from websockets.sync.client import connect
      with connect(f"ws://127.0.0.1:{sys.argv[1]}/", subprotocols=["b", "a"], max_size=None) as socket:
          print(socket.subprotocol)
          for message in ["hello", b"\\x00\\xff", "", b"", "\\u00e9" * 100000, b"x" * 500000]:
              socket.send(message)
              print(socket.recv(timeout=20) == message)
          socket.send(["one ", "", "two"])
          print(socket.recv(timeout=20))
          print(socket.ping().wait(20))
          socket.close(4001, "enough")
      print(socket.close_code, socket.close_reason)
      """
    let output = try await output(Self.python ?? "") { Self.arguments(script, "\($0)") }
    #expect(output == "a\n" + String(repeating: "True\n", count: 6) + "one two\nTrue\n4001 \n")
  }

  @Test(
    "Node's WebSocket sends texts and bytes to our server", .enabled(if: node != nil, "Node has no WebSocket")
  )
  func nodeClient() async throws {
    let script = """
      const socket = new WebSocket(`ws://127.0.0.1:${process.argv[1]}/`, ["b", "a"]);
      socket.binaryType = "arraybuffer";
      const messages = ["hello", "", "\\u00e9".repeat(100000), new Uint8Array([0, 255]), new Uint8Array(300000)];
      let next = 0;
      socket.onopen = () => { console.log(socket.protocol, socket.extensions === ""); socket.send(messages[next]); };
      socket.onmessage = ({ data }) => {
        const sent = messages[next++];
        const same = typeof sent === "string" ? data === sent
          : Buffer.compare(Buffer.from(data), Buffer.from(sent.buffer)) === 0;
        console.log(same);
        if (next < messages.length) socket.send(messages[next]); else socket.close(4001, "enough");
      };
      socket.onclose = ({ code, wasClean }) => console.log(code, wasClean);
      """
    let output = try await output("/usr/bin/env") { port in
      ["node", "--no-warnings"] + (Self.node ?? []) + ["-e", script, "\(port)"]
    }
    #expect(output == "a true\n" + String(repeating: "true\n", count: 5) + "4001 true\n")
  }

  @Test(
    "Our client speaks with Python's server",
    .enabled(if: python != nil, "websockets is missing; see Tests/Suites/Parts/clients"))
  func pythonServer() async throws {
    let script = """
      import websockets
      from websockets.sync.server import serve
      def echo(socket):
          try:
              for message in socket:
                  socket.send([message[:1], message[1:]] if len(message) == 3 else message)
          except websockets.ConnectionClosed:
              pass
          print(socket.close_code, socket.close_reason, flush=True)
      with serve(echo, "127.0.0.1", 0, subprotocols=["b"], max_size=None) as server:
          print(server.socket.getsockname()[1], flush=True)
          server.serve_forever()
      """
    makeCertificates()
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        Self.python ?? "", Self.arguments(script, ""), stdio: [.ignore, .pipe, .inherit])
      let output = try #require(child.standardOutput)
      let line = try #require(try await output.readLine(limit: 100).value)
      let port = try #require(Int("\(line)"))
      let socket = try await loop.http.webSocket("ws://127.0.0.1:\(port)/", protocols: ["a", "b"]).value
      #expect(socket.subprotocol == "b")
      let long = String(repeating: "é", count: 300_000)
      for message: WebSocketMessage in [
        "hello", "", "abc", .text(long), .binary(Bytes(repeating: 7, count: 70_000)),
      ] {
        try await socket.send(message).value
        #expect(try await socket.next().value == message)
      }
      let writer = try socket.begin(.text)
      for part in ["one ", "two ", "three"] { try await writer.write(Bytes(part)).value }
      try await writer.finish().value
      #expect(try await socket.next().value == "one two three")
      try await socket.ping("ping").value
      try await socket.close(WebSocketCloseCode(rawValue: 4001), reason: "enough").value
      #expect(socket.peerClose?.code.rawValue == 4001)
      #expect(try await output.readLine(limit: 100).value == "4001 enough")
      try child.kill(.terminate)
      _ = try await child.exit().value
      output.close()
    }
  }
}
#endif
