// Timeouts of a stream: for silence, for a peer that doesn't read, and for both.
import UV

enum Timeouts: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let (here, there) = try loop.pipes.socketPair()
      here.readTimeout = .milliseconds(10)
      do {
        for try await chunk in here { print(chunk) }
      } catch {
        print(error)
      }
      // The stream is as it was.
      try await here.write("are you there?").value
      print(try await there.read().value ?? "nothing")
      here.readTimeout = nil
      try await there.write("yes").value
      print(try await here.read().value ?? "nothing")

      // Bytes don't begin this time anew.
      here.totalTimeout = .milliseconds(50)
      try await there.write("a part").value
      do throws(UVError) {
        print(try await here.readLine(limit: 100).value ?? "nothing")
      } catch {
        print(error, here.totalTimeout ?? .zero)
      }
      here.totalTimeout = nil

      here.idleTimeout = .seconds(60)
      here.writeTimeout = .milliseconds(10)
      print(here.idleTimeout ?? .zero, here.readTimeout ?? .zero)
      do throws(UVError) {
        try await here.write(Bytes([UInt8](repeating: 0, count: 4 << 20))).value
      } catch {
        print(error.code == .timedOut, error.subject ?? "", here.isClosing)
      }
      there.close()
    }
  }
}

// Prints:
// read within the readTimeout of 0.01 seconds: connection timed out (ETIMEDOUT)
// are you there?
// yes
// read within the totalTimeout of 0.05 seconds: connection timed out (ETIMEDOUT) 0.05 seconds
// 60.0 seconds 0.0 seconds
// true within the writeTimeout of 0.01 seconds true
