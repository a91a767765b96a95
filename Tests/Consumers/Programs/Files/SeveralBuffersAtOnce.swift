// Several buffers in one read or write of a file, and what a connection takes without waiting.
import UV

enum SeveralBuffersAtOnce: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      print(try near.tryWrite("one "), try near.tryWrite(["two ", "three"]))
      near.close()
      var text = ""
      for try await bytes in far { text += String(decoding: bytes, as: UTF8.self) }
      print(text)

      let file = try await loop.files.mkstemp("/tmp/consumers-XXXXXX").value
      defer { loop.files.unlink(file.path) { _ in } }
      try await file.write(["head ", "body"], at: 0).value
      print(try await file.read([5, 10], at: 0).value)
      file.write([" and", " more"], at: 9) { _ in
        file.read([18], at: 0) { result in
          print((try? result.get()) ?? [])
          file.close()
        }
      }
    }
  }
}

// Prints:
// 4 9
// one two three
// [head , body]
// [head body and more]
