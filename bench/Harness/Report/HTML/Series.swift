struct Series {
  var name: String
  /// Where it belongs in the order of colours and marks.
  var place: Int
  var points: [(x: Double, y: Double)]
}

/// What styles look like: a colour and a mark, since not everybody distinguishes colours.
enum SeriesLook {
  /// The place of each style in the order of the table; others come after.
  static func place(_ style: Style, among all: [Style]) -> Int {
    if let index = Style.all.firstIndex(of: style) { return index }
    return Style.all.count + (all.filter { !Style.all.contains($0) }.firstIndex(of: style) ?? 0)
  }

  /// A style has a colour of its own. Programs of others share a neutral one, so that none looks like a style.
  static func colour(_ place: Int) -> String { "var(--s\(min(place, Style.all.count)))" }

  /// A dash pattern, so that lines differ in print too.
  static func dash(_ place: Int) -> String { ["", "", "6 3", "2 3", "8 3 2 3", "12 4"][place % 6] }

  /// A logarithm that takes zero for a half, as an axis of counts is laid out.
  static func logarithm(_ value: Double) -> Double { log10(max(value, 0.5)) }

  static func mark(_ place: Int, _ x: Double, _ y: Double) -> String {
    let fill = "class=\"mark\" style=\"fill:\(colour(place))\""
    let (left, right, top, bottom) = (
      SVG.number(x - 4), SVG.number(x + 4), SVG.number(y - 4), SVG.number(y + 4)
    )
    let (cx, cy) = (SVG.number(x), SVG.number(y))
    switch place % 5 {
    case 0: return "<rect x=\"\(left)\" y=\"\(top)\" width=\"8\" height=\"8\" \(fill)/>"
    case 1: return "<circle cx=\"\(cx)\" cy=\"\(cy)\" r=\"4.2\" \(fill)/>"
    case 2: return "<path d=\"M\(cx) \(top)L\(right) \(bottom)L\(left) \(bottom)Z\" \(fill)/>"
    case 3: return "<path d=\"M\(cx) \(top)L\(right) \(cy)L\(cx) \(bottom)L\(left) \(cy)Z\" \(fill)/>"
    default: return "<path d=\"M\(left) \(top)L\(right) \(top)L\(cx) \(bottom)Z\" \(fill)/>"
    }
  }

  static func key(_ names: [(name: String, place: Int)]) -> String {
    let items = names.map { name, place in
      let line =
        "<line x1=\"0\" y1=\"6\" x2=\"26\" y2=\"6\" stroke-width=\"2\""
        + " style=\"stroke:\(colour(place));stroke-dasharray:\(dash(place))\"/>"
      return "<li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\">\(line)\(mark(place, 13, 6))</svg>"
        + "\(XMLText.escaped(name))</li>"
    }
    return "<ul class=\"key\">\(items.joined())</ul>"
  }
}

enum SVG {
  static func number(_ value: Double) -> String { Figure.fixed(value, digits: 1) }

  static func text(
    _ text: String, x: Double, y: Double, anchor: String = "start", faint: Bool = false
  ) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\""
      + (faint ? " class=\"faint\"" : "") + ">\(XMLText.escaped(text))</text>"
  }

  static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ name: String) -> String {
    "<line x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\" class=\"\(name)\"/>"
  }

  /// A figure with its caption; `label` is read aloud in its stead.
  static func figure(_ title: String, _ note: String, width: Double, height: Double, _ body: String) -> String
  {
    let label = XMLText.escaped(title + (note.isEmpty ? "" : ", " + note))
    let caption = XMLText.escaped(title) + (note.isEmpty ? "" : " <span>\(XMLText.escaped(note))</span>")
    return "<figure><figcaption>\(caption)</figcaption>"
      + "<svg viewBox=\"0 0 \(number(width)) \(number(height))\" role=\"img\" aria-label=\"\(label)\">"
      + body + "</svg></figure>"
  }
}
