#if HTTP || Everything
import UV

/// The body of the last request that was handed out, as far as it has come.
struct RequestBody {
  enum Progress {
    /// The client waits for leave to send it.
    case awaitsContinue
    /// Nobody asks for it.
    case unwanted
    case wanted
    case complete
  }

  var progress = Progress.complete
  var parser: BodyParser
  /// The program's source of its bytes.
  var source: HTTPBody?
  /// Why it was refused.
  var refusal: Refusal?
  /// How many bytes of it were dropped.
  var droppedCount = 0
  /// How many bytes were written while it was incomplete.
  var answeredCount = 0
  /// How long it has been waited for.
  var waited = Duration.zero

  init(_ limits: HTTPLimits) { parser = BodyParser(.none, limits) }

  var isComplete: Bool { progress == .complete }

  /// Where it ends in the bytes that have come and those that will; nil if only its chunks say so.
  var rest: Int? { parser.rest }

  mutating func begin(_ head: RequestHead, _ limits: HTTPLimits) {
    refusal = nil
    progress = head.framing == .none ? .complete : head.expectsContinue ? .awaitsContinue : .unwanted
    if isComplete { return }
    parser = BodyParser(head.framing, limits)
    (droppedCount, answeredCount, waited) = (0, 0, .zero)
  }
}
#endif
