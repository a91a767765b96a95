// Two writes by callback and a close right after them: the peer reads both.
import UV

enum WriteThenCloseSendsBoth: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let connection = try await listener.accept().value
      client.write("header ") { _ in }
      client.write("body") { _ in }
      client.close()
      var text = ""
      for try await chunk in connection { text += String(decoding: chunk, as: UTF8.self) }
      print(text)
      listener.close()
    }
  }
}

// Prints:
// header body
