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
