#if HTTP || Everything
import UV

/// A value of JSON that is to be written. This module doesn't use Foundation.
enum JSON {
  case number(Double)
  case text(String)
  case flag(Bool)
  case list([JSON])
  /// Members that are nil are left out.
  case object([(name: String, value: JSON?)])
  /// Something that is JSON already.
  case raw(String)

  var text: String {
    var text = ""
    append(to: &text)
    return text
  }

  private func append(to text: inout String) {
    switch self {
    case .number(let number):
      text += number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    case .text(let value): LoopSnapshot.append(quoted: value, to: &text)
    case .flag(let flag): text += "\(flag)"
    case .raw(let json): text += json
    case .list(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.append(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      var isFirst = true
      for (name, value) in members {
        guard let value else { continue }
        if !isFirst { text += "," }
        isFirst = false
        LoopSnapshot.append(quoted: name, to: &text)
        text += ":"
        value.append(to: &text)
      }
      text += "}"
    }
  }
}
#endif
