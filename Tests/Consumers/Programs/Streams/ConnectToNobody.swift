// A connection to a port that nobody listens on, and a listener on a port that is taken.
import UV

enum ConnectToNobody: Program {
  static func main() throws {
    EventLoop.run { loop in
      do throws(UVError) {
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let address = try listener.localAddress()
        do throws(UVError) {
          let second = try loop.tcp.listen(host: "127.0.0.1", port: Int(address.port))
          second.close()
        } catch {
          print(error.code == .addressInUse)
        }
        try await listener.close().value
        _ = try await loop.tcp.connect(to: address).value
      } catch  where error.code == .connectionRefused {
        print("refused")
      } catch {
        print("other: \(error)")
      }
    }
  }
}

// Prints:
// true
// refused
