extension CallGraph {
  /// Reads a file of callgrind's.
  ///
  /// Its format is described in valgrind's manual: a line `fn=` begins a function, `cfn=` and `calls=`
  /// announce a call, whose cost is on the next line, and every other line that begins with a place has what
  /// the function spent there itself. `ob=` and `cob=` say which library the function or the call is in.
  init(callgrind text: String) {
    self.init()
    var functions = Names()
    var objects = Names()
    var (function, callee) = ("", "")
    var (object, calleeObject) = ("", "")
    var isCall = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("fn=") {
        function = Self.name(functions.read(line.dropFirst(3)), object)
      } else if line.hasPrefix("ob=") {
        object = objects.read(line.dropFirst(3))
        calleeObject = object
      } else if line.hasPrefix("cob=") {
        calleeObject = objects.read(line.dropFirst(4))
      } else if line.hasPrefix("cfn=") {
        callee = Self.name(functions.read(line.dropFirst(4)), calleeObject)
        calleeObject = object
      } else if line.hasPrefix("calls=") {
        isCall = true
      } else if let first = line.first, first.isNumber || "+-*".contains(first) {
        let spent = line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        if isCall {
          // Callgrind has this one name for two functions of libc, one of which calls the other through a
          // third.
          if function != "(below main)", callee != "(below main)" {
            calls[Call(caller: function, callee: callee), default: 0] += spent
          }
        } else {
          own[function, default: 0] += spent
        }
        isCall = false
      }
    }
  }

  /// A function's name; those of a library that have none are one. Their addresses differ from build to
  /// build.
  private static func name(_ function: String, _ object: String) -> String {
    guard function.hasPrefix("0x"), let file = object.split(separator: "/").last else { return function }
    return "unnamed functions of \(file)"
  }

  /// Names that are written out once, after their number in parentheses.
  private struct Names {
    private var known: [Substring: String] = [:]

    mutating func read(_ field: Substring) -> String {
      guard let end = field.firstIndex(of: ")") else { return String(field) }
      let (number, rest) = (field[...end], field[field.index(after: end)...].drop { $0 == " " })
      if !rest.isEmpty { known[number] = String(rest) }
      return known[number] ?? String(number)
    }
  }
}
