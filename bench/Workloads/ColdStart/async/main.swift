// cold-start with async/await: an echo server.
import UV

try EventLoop.run { loop in
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
  try await loop.standardOutput.write(Bytes("\(try listener.localAddress().port)\n")).value
  for try await connection in listener {
    loop.spawn {
      defer { connection.close() }
      do { for try await chunk in connection { try await connection.write(chunk).value } } catch {
        print(error)
      }
    }
  }
}
