// Operations on streams, names and datagrams in their callback forms.
import UV

enum EveryCallbackOfAStream: Program {
  static func main() throws {
    try EventLoop.runCallbacks { loop in
      let (reading, writing) = try loop.pipes.pair()
      try writing.setBlocking(false)
      writing.write(["a", "b"]) { result in
        print("write", (try? result.get()) != nil)
        writing.drain { _ in
          print("drained")
          writing.close()
        }
      }
      reading.start { result in
        guard case .success(let bytes?) = result else { return print("the end") }
        print(String(decoding: bytes, as: UTF8.self))
      }
    }
    try EventLoop.runCallbacks { loop in
      let listener = try loop.tcp.listen(
        on: SocketAddress("127.0.0.1", port: 0), backlog: 8, reusePort: true)
      let port = Int(try listener.localAddress().port)
      listener.accept { result in
        guard case .success(let connection) = result else { return print(result) }
        connection.read { _ in connection.closeReset { _ in } }
        listener.close()
      }
      loop.tcp.connect(host: "127.0.0.1", port: port) { result in
        guard case .success(let client) = result else { return print(result) }
        client.read { result in
          if case .failure(let error) = result { print(error.code == .connectionReset) }
          client.close()
        }
        client.write("hello") { _ in }
      }
    }
    try EventLoop.runCallbacks { loop in
      let (near, far) = try loop.pipes.socketPair(passesHandles: true)
      loop.files.mkstemp("/tmp/consumers-XXXXXX") { result in
        guard case .success(let file) = result else { return print(result) }
        loop.files.unlink(file.path) { _ in }
        file.write("contents") { _ in
          near.sendfile(file, from: 0, count: 8) { result in
            print((try? result.get()) ?? -1)
            far.next { result in
              print((try? result.get()) == "contents")
              file.close { _ in }
              near.close()
              far.close()
            }
          }
        }
      }
    }
    try EventLoop.runCallbacks { loop in
      let path = "/tmp/consumers-callback-\(SystemInfo.processID)"
      let listener = try loop.pipes.listen(path: path, passesHandles: true)
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      listener.accept { result in
        guard case .success(let connection) = result else { return print(result) }
        connection.write("a socket", passing: socket) { _ in
          connection.close()
          listener.close()
        }
      }
      loop.pipes.connect(path: path, passesHandles: true) { result in
        guard case .success(let client) = result else { return print(result) }
        client.read { _ in
          guard let passed = try? client.acceptUDPSocket(), let address = try? passed.localAddress()
          else {
            return print("no socket")
          }
          socket.close()
          passed.send("to myself", to: address) { _ in
            passed.send([Datagram("again", to: address)]) { _ in
              passed.next { result in
                print((try? result.get()?.bytes) == "to myself")
                passed.close()
              }
            }
          }
          client.close()
        }
      }
    }
    EventLoop.runCallbacks { loop in
      guard let address = try? SocketAddress("127.0.0.1", port: 7) else { return }
      loop.dns.nameInfo(of: address, options: .numericHost) { result in
        print((try? result.get().host) ?? "-")
      }
    }
    EventLoop.runCallbacks { loop in
      loop.random(4) { result in print((try? result.get().count) ?? 0) }
    }
    try EventLoop.runCallbacks { loop in
      let ticks = loop.ticks(every: .milliseconds(1))
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      ticks.next { result in
        print((try? result.get()) != nil, ticks.loop === loop)
        loop.shutdownGracefully(within: .seconds(1)) { result in
          print((try? result.get().count) ?? -1, listener.isClosing)
        }
        print(loop.isShuttingDown)
      }
    }
  }
}

// Prints:
// write true
// drained
// ab
// the end
// true
// 8
// true
// true
// 127.0.0.1
// 4
// true true
// true
// 0 true
