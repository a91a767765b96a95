// A server and its client on a Unix domain socket, whose file is removed at the end.
import UV

enum UnixSockets: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let directory = try await loop.files.mkdtemp("/tmp/consumers-XXXXXX").value
      let path = directory.appending("socket")
      let listener = try loop.pipes.listen(path: path)
      try listener.chmod([.read, .write])
      print(try listener.localPath() == path)
      let client = try await loop.pipes.connect(path: path).value
      let connection = try await listener.accept().value
      print(try client.peerPath() == path, try client.localPath() == nil)
      try await client.write(["a", "b", "c"]).value
      client.close()
      var text = ""
      for try await chunk in connection { text += String(decoding: chunk, as: UTF8.self) }
      print(text)
      try await listener.close().value
      print(try await loop.files.scandir(directory).value.isEmpty)
      try await loop.files.rmdir(directory).value
    }
  }
}

// Prints:
// true
// true true
// abc
// true
