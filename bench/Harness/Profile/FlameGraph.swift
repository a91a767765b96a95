/// A call graph drawn as a flame graph: the wider a function, the more was spent in it and in what it called.
///
/// A call graph knows who calls whom, and not whole stacks. A function that several others call stands above
/// each of them, as wide as that caller's share of the calls. A function that calls itself, directly or
/// through others, is drawn once.
struct FlameGraph: Sendable {
  struct Frame {
    var name: String
    var depth: Int
    /// Where it begins, and how wide it is, in what the graph counts.
    var start, width: Double
  }

  /// The frames, each after the one that it stands on.
  let frames: [Frame]
  private let base: CallGraph?
  private let graph: CallGraph
  private var total: Double { max(graph.total, 1) }

  /// The drawing of a graph. If there is a base, what grew since is red, and what shrank is blue.
  init(_ graph: CallGraph, since base: CallGraph? = nil) {
    (self.graph, self.base, frames) = (graph, base, Self.frames(graph))
  }

  func svg(title: String, note: String) -> String {
    let (width, row, head) = (1200.0, 17.0, 48.0)
    let rows = Double((frames.map(\.depth).max() ?? 0) + 1)
    let height = head + rows * row + 8
    var body = ""
    for frame in frames {
      let x = frame.start / total * width
      let wide = frame.width / total * width
      let y = height - 8 - Double(frame.depth + 1) * row
      let spent = "\(Figure.count(frame.width)), \(Figure.percent(frame.width / total))"
      body += "<g><title>\(XMLText.escaped(frame.name)): \(spent)\(change(of: frame.name))</title>"
      body +=
        "<rect x=\"\(SVG.number(x))\" y=\"\(SVG.number(y))\" width=\"\(SVG.number(max(wide - 0.5, 0.3)))\""
      body += " height=\"\(SVG.number(row - 1))\" rx=\"1\" fill=\"\(colour(of: frame.name))\"/>"
      let fits = Int((wide - 6) / 6.6)
      if fits >= 3 {
        let name = frame.name.count <= fits ? frame.name : frame.name.prefix(fits - 1) + "…"
        body +=
          "<text x=\"\(SVG.number(x + 3))\" y=\"\(SVG.number(y + 12))\">\(XMLText.escaped(String(name)))</text>"
      }
      body += "</g>\n"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(SVG.number(width)) \(SVG.number(height))" \
      width="\(SVG.number(width))" font-family="ui-monospace, monospace" font-size="11">
      <rect width="100%" height="100%" fill="#ffffff"/>
      <text x="4" y="18" font-size="14" font-weight="600">\(XMLText.escaped(title))</text>
      <text x="4" y="34" fill="#666666">\(XMLText.escaped(note))</text>
      \(body)</svg>

      """
  }

  private func change(of name: String) -> String {
    guard let base else { return "" }
    let change = (graph.own[name] ?? 0) - (base.own[name] ?? 0)
    return "; itself \(change < 0 ? "−" : "+")\(Figure.count(abs(change)))"
  }

  /// Without a base, functions of one name have one colour; with one, the colour says how much the function
  /// itself changed.
  private func colour(of name: String) -> String {
    guard let base else {
      let hash = name.utf8.reduce(5381) { ($0 &* 33) ^ UInt32($1) }
      return "hsl(\(18 + hash % 40) 85% \(62 + hash / 64 % 12)%)"
    }
    let (old, new) = (base.own[name] ?? 0, graph.own[name] ?? 0)
    // A hundredth of everything is as red as it gets.
    let share = min(abs(new - old) / total / 0.01, 1)
    return "hsl(\(new > old ? 8 : 215) \(Int(share * 85))% \(Int(90 - share * 28))%)"
  }
}

extension FlameGraph {
  /// Finds each frame's place.
  private static func frames(_ graph: CallGraph) -> [Frame] {
    // What is narrower than a pixel isn't drawn.
    let smallest = graph.total / 1200
    var (spent, called) = (graph.own, [String: Double]())
    var callees: [String: [(name: String, spent: Double)]] = [:]
    for (call, cost) in graph.calls where call.caller != call.callee {
      spent[call.caller, default: 0] += cost
      called[call.callee, default: 0] += cost
      callees[call.caller, default: []].append((call.callee, cost))
    }
    // The order is the same each time.
    for caller in callees.keys { callees[caller]?.sort { ($0.spent, $1.name) > ($1.spent, $0.name) } }
    var (path, found) = (Set<String>(), [Frame]())
    func place(_ name: String, _ start: Double, _ width: Double, depth: Int) {
      guard width > smallest, depth < 200 else { return }
      found.append(Frame(name: name, depth: depth, start: start, width: width))
      path.insert(name)
      var start = start
      let share = width / max(spent[name] ?? width, 1e-9)
      for callee in callees[name] ?? [] where !path.contains(callee.name) {
        place(callee.name, start, callee.spent * share, depth: depth + 1)
        start += callee.spent * share
      }
      path.remove(name)
    }
    // The window begins and ends inside of functions, so that what nobody called in it is a root.
    let roots = spent.map { (name: $0.key, spent: $0.value - (called[$0.key] ?? 0)) }
      .filter { $0.spent > smallest }.sorted { ($0.spent, $1.name) > ($1.spent, $0.name) }
    var start = 0.0
    for root in roots {
      place(root.name, start, root.spent, depth: 0)
      start += root.spent
    }
    return found
  }
}
