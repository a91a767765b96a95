#if HTTP || Everything
/// A request that has been handed out, and that isn't answered completely.
struct PendingResponse {
  var isHead = false
  var minorVersion = 1
  /// Whether the client goes on after the answer.
  var keepsAlive = false
  /// Whether the head of the answer has been written.
  var hasBegun = false
  /// Whether it has been, and only the end of the connection says where the answer ends.
  var endsWithConnection = false
  /// The program's calls for the answer before it was the answer's turn.
  var waiting: [() -> Void] = []

  /// The turn of what isn't a request, whose answer is the last one.
  init() {}

  init(_ head: RequestHead) {
    isHead = head.isHead
    minorVersion = head.minorVersion
    keepsAlive = head.keepsAlive
  }
}

extension RequestHead {
  /// Whether the program may have the request together with those before it: whether they are carried out in
  /// this order or another makes no difference (RFC 9112, 9.3.2).
  var isShared: Bool { isSafe && framing == .none && !hasUpgrade && !isConnect }
}
#endif
