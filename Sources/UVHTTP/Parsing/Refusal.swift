#if HTTP || Everything
/// Why a message is refused: the status that says so to the client, and a reason for people.
struct Refusal: Error, Equatable {
  let code: Int
  let reason: String

  static func badRequest(_ reason: String) -> Refusal { Refusal(code: 400, reason: reason) }
}

extension Refusal {
  static let requestLineTooLong = Refusal(code: 414, reason: "the request line is too long")
  static let fieldsTooLarge = Refusal(code: 431, reason: "the fields are too large")
  static let tooManyFields = Refusal(code: 431, reason: "there are too many fields")
  static let bodyTooLarge = Refusal(code: 413, reason: "the body is too large")
  static let tooManyInterimAnswers = badRequest("there are too many interim answers")
  static let bareLineEnd = badRequest("a line doesn't end with CR LF")
}
#endif
