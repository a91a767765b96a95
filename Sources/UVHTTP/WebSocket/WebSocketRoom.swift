#if HTTP || Everything
import UV

/// ``WebSocket``s that get the same messages, such as the members of a chat or those who watch a game.
///
/// ```swift
/// let room = WebSocketRoom<String> { .text("you have missed \($0) messages") }
/// // For each WebSocket:
/// guard room.join(socket, as: name) else { return }
/// defer { room.leave(name) }
/// for try await message in socket { room.send(message, except: name) }
/// ```
///
/// A message is encoded once. Nobody waits for a member who reads slowly: while more than 64 KiB wait for it, it misses
/// what is sent, and then is notified how much that was. ``WebSocketLimits/silence`` ends a member who takes nothing at
/// all. So a member takes a bounded amount of memory.
///
/// A room has no lock, and its WebSockets are those of one loop. Use it on that loop's thread.
public final class WebSocketRoom<Name: Hashable> {
  private var members: [Name: Member] = [:]
  private let notice: (Int) -> WebSocketMessage?

  private final class Member {
    let socket: WebSocket
    var isBehind = false
    /// How many messages it has missed.
    var missed = 0

    init(_ socket: WebSocket) { self.socket = socket }
  }

  /// Makes a room without members.
  ///
  /// - Parameter notice: Makes the message for a member that has missed so many messages; nil sends none. The room
  ///   sends it once the member has read so much that there is room.
  public init(notice: @escaping (Int) -> WebSocketMessage? = { _ in nil }) { self.notice = notice }

  /// The names of the members, in no particular order.
  public var names: some Collection<Name> { members.keys }

  /// Whether somebody has a name.
  public func contains(_ name: Name) -> Bool { members[name] != nil }

  /// Takes a member in. The room keeps the WebSocket until it leaves, also if that has ended.
  ///
  /// - Parameters:
  ///   - socket: The WebSocket, which the program goes on reading.
  ///   - name: A name for it.
  /// - Returns: False if somebody else has the name; nothing has changed then.
  public func join(_ socket: WebSocket, as name: Name) -> Bool {
    if members[name] != nil { return false }
    members[name] = Member(socket)
    return true
  }

  /// Lets a member go. Its WebSocket stays as it is, and gets nothing more of the room.
  public func leave(_ name: Name) {
    // Its last message may still be on its way. It isn't notified then of what it has missed.
    members.removeValue(forKey: name)?.missed = 0
  }

  /// Sends a message to all members, or to all but one.
  public func send(_ message: WebSocketMessage, except speaker: Name? = nil) {
    let encoded = message.encoded()
    for (name, member) in members where name != speaker { send(encoded, to: member) }
  }

  /// Sends a message to one member, which misses it as any other if it is slow. Nobody may have the name.
  public func send(_ message: WebSocketMessage, to name: Name) {
    if let member = members[name] { send(message.encoded(), to: member) }
  }

  private func send(_ message: EncodedWebSocketMessage, to member: Member) {
    if member.isBehind {
      member.missed += 1
      return
    }
    // An error of the connection ends the task that reads it, so there is nothing to do here.
    member.socket.send(message) { [self] result in if case .success = result { catchUp(member) } }
    member.isBehind = member.socket.isAboveHighWaterMark
  }

  /// The member has read so much that there is room.
  private func catchUp(_ member: Member) {
    member.isBehind = member.socket.isAboveHighWaterMark
    if member.isBehind || member.missed == 0 { return }
    let message = notice(member.missed)
    member.missed = 0
    if let message { send(message.encoded(), to: member) }
  }
}
#endif
