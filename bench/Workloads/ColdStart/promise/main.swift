// cold-start with promises: an echo server.
import UV
import UVPromises

try EventLoop.runCallbacks { loop in
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
  listener.start { result in
    guard case .success(let connection?) = result else { return }
    connection.each { connection.write($0).promise() }.catch { _ in connection.close() }
  }
  try loop.standardOutput.write(Bytes("\(try listener.localAddress().port)\n")).promise().catch { print($0) }
}
