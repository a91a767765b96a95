// An echo server with async/await: `EchoServer [PORT [CONNECTIONS]]`.
//
// It listens on a port of 127.0.0.1 (0, the default: one that the system chooses), prints it, and goes on for
// ever, or until so many connections have been served.
import UV

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let port = arguments.first ?? 0
let limit = arguments.dropFirst().first ?? .max

EventLoop.main { loop in
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: port)
  // Not `print`, which would keep the line to itself while the output is a pipe.
  try await loop.standardOutput.write(Bytes("listening on \(try listener.localAddress())\n")).value
  var accepted = 0
  for try await connection in listener {
    loop.spawn {
      do {
        for try await chunk in connection { try await connection.write(chunk).value }
      } catch {
        print("a connection ended early: \(error)")
      }
    }
    accepted += 1
    if accepted == limit { break }
  }
}
