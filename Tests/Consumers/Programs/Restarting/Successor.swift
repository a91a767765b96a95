// A successor gets the listening sockets, and one that ends too early changes nothing.
import UV

enum Successor: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      do {
        let process = try await loop.handover("/bin/sh", ["-c", "exit 3"], within: .seconds(10)).value
        print("never: \(process)")
      } catch {
        print(error)
      }
      loop.handover("/bin/sh", ["-c", "printf 1 >&3"]) { result in
        if case .success(let process) = result { print("ready: \(process > 0)") }
        listener.close()
      }
    }
  }
}

// Prints:
// handover the successor ended with code 3 before it was ready: software caused connection abort (ECONNABORTED)
// ready: true
