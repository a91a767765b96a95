// Pending requests are cancelled: each is told once, and releases what it had.
import UV

enum CancellingRequests: Program {
  static func main() throws {
    try EventLoop.runCallbacks { loop in
      let (near, far) = try loop.pipes.socketPair()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let pending: [(String, PendingRequest)] = [
        ("read", near.read { report("read", $0) }),
        ("accept", listener.accept { report("accept", $0) }),
        ("sleep", loop.sleep(for: .seconds(3600)) { report("sleep", $0) }),
        ("signal", try loop.signals(.user1).next { report("signal", $0) }),
      ]
      print(pending.map(\.0))
      for (_, request) in pending {
        request.cancel()
        request.cancel()
      }
      loop.sleep(for: .milliseconds(5)) { _ in
        near.close()
        far.close()
        listener.close()
      }
    }
  }

  static func report<T>(_ name: String, _ result: Result<T, UVError>) {
    switch result {
    case .success: print("\(name): success")
    case .failure(let error): print("\(name): \(error.isCancelled)")
    }
  }
}

// Prints:
// ["read", "accept", "sleep", "signal"]
// read: true
// accept: true
// sleep: true
// signal: true
