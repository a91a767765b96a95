#if HTTP || Everything
import HTTPTypes
import UV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The memory that a loop's servers share, so that they needn't make the same anew for each request.
final class ServerMemory {
  static let ofLoop = LoopLocal { _ in ServerMemory() }

  @exclusivity(unchecked) private var seconds = -1
  @exclusivity(unchecked) private var dateLine = Bytes()

  /// `date: …` with the end of its line, which is made anew once a second (RFC 9110, 6.6.1).
  var date: Bytes {
    let seconds = Int(time(nil))
    if seconds != self.seconds {
      self.seconds = seconds
      dateLine = Bytes("date: \(HTTPDate(since1970: .seconds(seconds)))\r\n")
    }
    return dateLine
  }
}

/// The head of a request, and its bytes. A client often sends the same head again, which is then the same object:
/// it is neither parsed nor made anew.
final class ReceivedHead {
  /// The longest head that is remembered.
  private static let longest = 2048

  let head: RequestHead
  let bytes: Bytes
  private(set) lazy var request = head.request(bytes)

  init(_ head: RequestHead, _ bytes: Bytes) { (self.head, self.bytes) = (head, bytes) }

  var isToRemember: Bool { bytes.count <= Self.longest }
}
#endif
