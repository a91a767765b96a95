/// A table for a terminal: columns as wide as their widest cell.
public struct TextTable: Sendable {
  /// Where the text of a column stands.
  public enum Alignment: Sendable {
    /// At the left.
    case left
    /// At the right.
    case right
  }

  private var columns: [(title: String, alignment: Alignment)]
  private var rows: [[String]] = []

  /// A table with these columns.
  public init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

  /// A table of rows, the first of which is the head; columns of words stand at the left.
  init(_ rows: [[String]], words: Set<Int>) {
    columns = rows[0].enumerated().map { ($1, words.contains($0) ? .left : .right) }
    self.rows = Array(rows.dropFirst())
  }

  /// Adds a row; it must have a cell for each column.
  public mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "\(cells.count) cells for \(columns.count) columns")
    rows.append(cells)
  }

  /// The lines, without spaces at their ends. A column that is empty in every row is left out.
  public func render() -> [String] {
    let used = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    let widths = used.map { column in
      ([columns[column].title] + rows.map { $0[column] }).map(\.count).max() ?? 0
    }
    func line(_ cells: [String]) -> String {
      var text = ""
      for (place, column) in used.enumerated() {
        let padding = String(repeating: " ", count: widths[place] - cells[column].count)
        if place > 0 { text += "  " }
        text += columns[column].alignment == .left ? cells[column] + padding : padding + cells[column]
      }
      while text.last == " " { text.removeLast() }
      return text
    }
    return [line(columns.map(\.title))] + rows.map(line)
  }
}

/// Findings that are shown as a table in a terminal, in a comment and on a page.
public protocol Tabular {
  /// The head, and a row of cells for each line.
  var rows: [[String]] { get }
  /// The columns of words, which stand at the left.
  var words: Set<Int> { get }
}

extension Tabular {
  /// The table, for a terminal.
  public var text: [String] { TextTable(rows, words: words).render() }

  /// The table, for a comment.
  public var markdown: String {
    let rule = rows[0].indices.map { words.contains($0) ? "---" : "--:" }
    return ([rows[0], rule] + rows.dropFirst()).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }
}
