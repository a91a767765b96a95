#if HTTP || Everything
import HTTPTypes
import UV

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

/// The requests that have been handed out and aren't answered, in order. Each has a number.
struct PendingResponses {
  private var all: [PendingResponse] = []
  /// The number of the first of them.
  private(set) var firstNumber = 0
  /// Callers to notify if the connection ends before an answer is complete, by the answer's number.
  var lost: [Int: (UVError.Code) -> Void] = [:]
  /// Callers that wait for the client to go, by the answer's number.
  var departures: [Int: Waiters<Void>] = [:]

  var isEmpty: Bool { all.isEmpty }
  var count: Int { all.count }
  /// The number of the next request.
  var nextNumber: Int { firstNumber + all.count }

  /// The first of them, whose turn it is. There must be one.
  var first: PendingResponse { all[0] }

  /// Whether the head of the answer whose turn it is has been written.
  var hasBegun: Bool { all.first?.hasBegun ?? false }
  /// Whether only the end of the connection says where that answer ends.
  var endsWithConnection: Bool { all.first?.endsWithConnection ?? false }

  /// The head of the answer whose turn it is is being written.
  mutating func begin(_ framing: ResponseHead.Framing) {
    all[0].hasBegun = true
    if case .untilClose = framing { all[0].endsWithConnection = true }
  }

  /// - Returns: The number of the request.
  mutating func append(_ response: PendingResponse) -> Int {
    all.append(response)
    return nextNumber - 1
  }

  /// Has a call wait until it is the turn of an answer.
  ///
  /// - Returns: Whether there is such an answer.
  mutating func wait(_ number: Int, _ body: @escaping () -> Void) -> Bool {
    guard all.indices.contains(number - firstNumber) else { return false }
    all[number - firstNumber].waiting.append(body)
    return true
  }

  /// The first has been answered completely.
  mutating func removeFirst() {
    all.remove(at: 0)
    if !lost.isEmpty { lost[firstNumber] = nil }
    firstNumber += 1
  }

  /// The calls that waited for the turn of the first.
  mutating func takeWaiting() -> [() -> Void] {
    var waiting: [() -> Void] = []
    swap(&waiting, &all[0].waiting)
    return waiting
  }

  /// - Parameter areAnswered: Whether they count as answered.
  /// - Returns: The calls that waited for their turns.
  mutating func removeAll(areAnswered: Bool) -> [() -> Void] {
    let waiting = all.flatMap(\.waiting)
    if areAnswered { firstNumber += all.count }
    all = []
    return waiting
  }
}

extension RequestHead {
  /// Whether the program may have the request together with those before it: whether they are carried out in
  /// this order or another makes no difference (RFC 9112, 9.3.2).
  var isShared: Bool { isSafe && framing == .none && !hasUpgrade && !isConnect }
}

/// A whole answer that a program asks for as a request. A task that gives it when it is its turn needn't wait.
package final class WholeResponse: DirectWork {
  private let exchange: HTTPExchange
  private let head: Head
  private let body: Bytes

  /// A head that takes no more memory here than a response.
  package enum Head {
    case response(HTTPResponse)
    case prepared(HTTPPreparedHead)
  }

  package init(_ exchange: HTTPExchange, _ head: Head, _ body: Bytes) {
    (self.exchange, self.head, self.body) = (exchange, head, body)
  }

  package var loop: EventLoop { exchange.loop }

  private var responseHead: ResponseHead {
    switch head {
    case .response(let response): ResponseHead(response, bodyLength: body.count)
    case .prepared(let head): ResponseHead(head, bodyLength: body.count)
    }
  }

  package func doAtOnce() -> Result<Void, UVError>? {
    exchange.respondAtOnce(responseHead, body) ? .success(()) : nil
  }

  package func start(_ done: @escaping Completion<Void>) -> PendingRequest {
    exchange.waitForAnswer(done) ?? exchange.respond(responseHead, body, done)
  }
}
#endif
