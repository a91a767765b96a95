// A source that has a handler refuses to be asked, and a descriptor has one owner.
import UV

enum TwoReadersOfASource: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      near.start { result in
        if case .success(let bytes?) = result { print(String(decoding: bytes, as: UTF8.self)) }
      }
      do throws(UVError) {
        _ = try await near.read().value
      } catch {
        print(error.code == .sourceStarted)
      }
      near.stop()
      try await far.write("for the second reader").value
      print(try await near.read().value == "for the second reader")
      do throws(UVError) {
        _ = try loop.pipes.open(fileDescriptor: near.fileDescriptor())
      } catch {
        print(error.code == .fileExists)
      }
      do throws(UVError) {
        _ = try loop.tcp.open(fileDescriptor: 999)
      } catch {
        print(error.code == .badDescriptor)
      }
      far.close()
      print(try await near.read().value == nil)
      near.close()
      do throws(UVError) {
        try await near.write("too late").value
      } catch {
        print(error.name, near.isWritable)
      }
    }
  }
}

// Prints:
// true
// true
// true
// true
// true
// EBADF false
