// Values of requests stand in expressions beside calls that throw, in `if` and `switch`, and behind `?`.
import UV

private struct NoNumber: Error { let text: String }

private func number(_ text: String) throws -> Int {
  guard let n = Int(text) else { throw NoNumber(text: text) }
  return n
}

private func sum(_ loop: EventLoop, _ path: String, _ text: String) async throws -> Int {
  let total = try await loop.files.readFile(path).value.count + number(text)
  try await loop.sleep(for: .zero).value
  return total
}

private func choose(_ loop: EventLoop, _ path: String?, _ text: String) async throws -> Int {
  let n = if let path { try await loop.files.readFile(path).value.count } else { try number(text) }
  try await loop.sleep(for: .zero).value
  return n
}

private func kind(_ connection: TCPConnection?) async throws -> String {
  try await connection?.write("x").value
  switch try await connection?.read().value {
  case nil: return "none"
  case .some(let bytes) where bytes.count > 3: return "long"
  case .some: return "short"
  }
}

enum ValuesInExpressions: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let file = try await loop.files.mkstemp("/tmp/values-XXXXXX").value
      let path = "\(file.path)"
      try await file.write("12345").value
      try await file.close().value
      print(
        try await sum(loop, path, "37"), try await choose(loop, path, ""), try await choose(loop, nil, "7"))
      do { print(try await sum(loop, path, "x")) } catch let error as NoNumber {
        print("no number:", error.text)
      }
      do { print(try await choose(loop, "/no/such/file", "x")) } catch let error as UVError {
        print(error.name)
      }
      print((try? await choose(loop, nil, "y")) ?? -1)
      try await loop.files.unlink(path).value

      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let connection = try await listener.accept().value
      try await client.write("hello").value
      print(try await kind(connection), try await kind(nil))
      connection.close()
      client.close()
      listener.close()
    }
  }
}

// Prints:
// 42 5 7
// no number: x
// ENOENT
// -1
// long none
