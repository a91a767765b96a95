import BenchHarness
import UV

/// The door of `generate --listen`: visitors that have yet to say the token, and how fast they may try one.
///
/// A silent visitor takes no place of those let in, and the one that has been there for the longest
/// time makes room for the next. Right tokens are heard at once, unless wrong ones have come from the same
/// address: then a token is heard each 200 ms.
final class GeneratorDoor {
  /// How many may stand before the door.
  private static let mostVisitors = 256
  /// The time between two tokens from an address from which wrong ones have come.
  private static let pause = Duration.milliseconds(200)
  /// How long a token waits to be heard. Beyond that it is refused unheard.
  private static let longestWait = Duration.seconds(3)
  /// How many addresses are remembered.
  private static let mostAddresses = 4096

  private let loop: EventLoop
  private let token: String
  private var visitors: [TCPConnection] = []
  /// When the next token from an address is heard.
  private var nextTry: [Substring: LoopClock.Instant] = [:]

  init(_ loop: EventLoop, token: String) { (self.loop, self.token) = (loop, token) }

  func arrive(_ visitor: TCPConnection) {
    visitors.append(visitor)
    if visitors.count > Self.mostVisitors { visitors.removeFirst().close() }
  }

  /// The visitor is let in, or goes.
  func leave(_ visitor: TCPConnection) { visitors.removeAll { $0 === visitor } }

  /// Why a token doesn't open the door; nil if it does.
  func refusal(_ sent: String, from host: String) async throws(UVError) -> String? {
    let key = Self.network(of: host)
    if let date = nextTry[key], date > loop.now {
      let wait = loop.now.duration(to: date)
      if wait > Self.longestWait { return "too many wrong tokens have come from \(host); try again later" }
      nextTry[key] = date.advanced(by: Self.pause)
      try await loop.sleep(for: wait).value
    }
    if LoadGenerator.isSame(sent, as: token) { return nil }
    if nextTry.count >= Self.mostAddresses { nextTry = nextTry.filter { $0.value > loop.now } }
    let date = loop.now.advanced(by: Self.pause)
    nextTry[key] = max(nextTry[key] ?? date, date)
    return "the token is another"
  }

  /// The network that somebody has for themselves: an address of version 4, or the first half of one of
  /// version 6.
  private static func network(of host: String) -> Substring {
    guard host.contains(":") else { return host[...] }
    var groups = 0
    var wasColon = false
    for index in host.indices {
      let isColon = host[index] == ":"
      if isColon, wasColon { return host[..<index] }
      if isColon { groups += 1 }
      if groups == 4 { return host[..<index] }
      wasColon = isColon
    }
    return host[...]
  }
}
