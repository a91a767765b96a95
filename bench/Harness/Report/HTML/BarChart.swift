/// Bars of the processor time of each style as a ratio to c.
struct BarChart {
  var title: String
  var note: String
  /// The bars: a name, a place in the order of colours, the ratio, and its quartiles, which are drawn where they differ.
  var bars: [(name: String, place: Int, ratio: Double, low: Double, high: Double)]

  var svg: String {
    let chart = drawing(width: 520)
    return SVG.figure(title, note, width: chart.width, height: chart.height, chart.body)
  }

  /// The chart as a file of its own. It follows the reader's choice of light or dark where the viewer knows
  /// media queries, and is light elsewhere. Bars have more room than names.
  var file: String {
    let names = namesWidth
    let chart = drawing(width: names + max(440, names))
    let sheet = """
      .paper { fill: var(--paper) }
      \(HTMLStyle.drawing)
      \((0...Style.all.count).map { ".s\($0) { fill: \(SeriesLook.colour($0)) }" }.joined(separator: " "))
      """
    let body = (0...Style.all.count).reduce(chart.body) { body, place in
      body.replacing(
        "style=\"fill:\(SeriesLook.colour(place))\"",
        with: "class=\"s\(place)\" fill=\"\(HTMLStyle.resolved(SeriesLook.colour(place)))\"")
    }
    let head = 44.0
    let (width, height) = (SVG.number(chart.width), SVG.number(chart.height + head + 8))
    let label = XMLText.escaped(title + ", " + note)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 0 \(SVG.number(chart.width + 16)) \(height)" width="\(width)" \
      role="img" aria-label="\(label)" font-family="system-ui, sans-serif" font-size="12">
      <style>
      \(HTMLStyle.resolved(sheet))
      svg .title { font-size: 14px; font-weight: 600 }
      @media screen and (prefers-color-scheme: dark) {
      \(HTMLStyle.resolved(sheet, isDark: true))
      }
      </style>
      <rect class="paper" x="-8" width="\(SVG.number(chart.width + 16))" height="\(height)" rx="6"/>
      <text class="title" x="0" y="20">\(XMLText.escaped(title))</text>
      <text class="faint" x="0" y="36">\(XMLText.escaped(note))</text>
      <g transform="translate(0 \(SVG.number(head)))">
      \(body.replacing("/><", with: "/>\n<").replacing("/text><", with: "/text>\n<"))
      </g>
      </svg>

      """
  }

  private var namesWidth: Double { max(84, Double(bars.map(\.name.count).max() ?? 0) * 6.6 + 12) }

  private func drawing(width: Double) -> (width: Double, height: Double, body: String) {
    let (left, right, each) = (namesWidth, 62.0, 26.0)
    let height = Double(bars.count) * each + 24
    let largest = max(bars.map(\.high).max() ?? 1, bars.map(\.ratio).max() ?? 1, 1) * 1.02
    func x(_ value: Double) -> Double { left + value / largest * (width - left - right) }
    var (body, figures) = ("", "")
    for (index, bar) in bars.enumerated() {
      let y = Double(index) * each + 4
      let fill = "style=\"fill:\(SeriesLook.colour(bar.place))\""
      body += SVG.text(bar.name, x: left - 8, y: y + 13, anchor: "end")
      body += "<rect x=\"\(SVG.number(left))\" y=\"\(SVG.number(y))\" height=\"17\" rx=\"2\""
      body += " width=\"\(SVG.number(max(1, x(bar.ratio) - left)))\" \(fill)/>"
      if bar.low < bar.high {
        body += SVG.line(x(bar.low), y + 8.5, x(bar.high), y + 8.5, "axis")
        for end in [bar.low, bar.high] { body += SVG.line(x(end), y + 4.5, x(end), y + 12.5, "axis") }
      }
      let beside = max(x(bar.ratio), x(bar.high)) + 6
      figures += SVG.text(Figure.ratio(bar.ratio), x: beside, y: y + 13)
    }
    let foot = Double(bars.count) * each + 2
    body += SVG.line(x(1), 0, x(1), foot, "grid")
    body += SVG.text("c = 1", x: x(1), y: foot + 14, anchor: "middle", faint: true)
    // Last, so that the line does not cross them.
    return (width, height, body + figures)
  }
}
