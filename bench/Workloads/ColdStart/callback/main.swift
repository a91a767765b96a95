// cold-start with callbacks: an echo server.
import UV

try EventLoop.runCallbacks { loop in
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
  listener.start { result in
    guard case .success(let connection?) = result else { return }
    connection.start { result in
      guard case .success(let chunk?) = result else { return _ = connection.close() }
      connection.write(chunk) { _ in }
    }
  }
  try loop.standardOutput.write(Bytes("\(try listener.localAddress().port)\n")) { _ in }
}
