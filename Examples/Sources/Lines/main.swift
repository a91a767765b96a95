// An event source of one's own: the lines of a connection, used in two styles.
//
// A server on this machine sends six lines in pieces that end where they please. Three are read with
// async/await, the others with a callback.
import UV

/// The lines that arrive at a connection, without the characters that end them.
nonisolated func lines(of connection: TCPConnection) -> CustomSource<String> {
  var reading = PendingRequest()
  var rest: [UInt8] = []

  func read(_ lines: CustomSource<String>) {
    reading = connection.next { result in
      switch result {
      case .success(let chunk?):
        rest += chunk
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          lines.send(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
        read(lines)
      case .success(nil):
        if !rest.isEmpty { lines.send(String(decoding: rest, as: UTF8.self)) }
        lines.finish()
      case .failure(let error):
        // Nobody asks for lines any more, and may again later.
        if !error.isCancelled { lines.finish(error) }
      }
    }
  }

  // A line is read only while somebody asks for one: a slow reader slows its peer down.
  return CustomSource(connection.loop, "lines", resume: read) { _ in reading.cancel() }
}

EventLoop.main { loop in
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
  let client = try await loop.tcp.connect(to: listener.localAddress()).value
  let server = try await listener.accept().value
  listener.close()

  let sending = loop.spawn { () async throws(UVError) in
    for piece in ["one\ntw", "o\nthree\nfo", "ur\n", "five\nsix"] as [Bytes] {
      try await server.write(piece).value
    }
    server.close()
  }

  let lines = lines(of: client)
  var count = 0
  for try await line in lines {
    print("async/await: \(line)")
    count += 1
    if count == 3 { break }
  }
  try await sending.value

  lines.start { result in
    switch result {
    case .success(let line?): print("callback: \(line)")
    case .success(nil): print("callback: the end")
    case .failure(let error): print("callback: \(error)")
    }
    if case .success(_?) = result { return }
    client.close()
  }
}
