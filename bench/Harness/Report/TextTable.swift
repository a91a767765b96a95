/// Findings that are shown as a table in a terminal, in a comment and on a page.
public protocol Tabular {
  /// The head, and a row of cells for each line.
  var rows: [[String]] { get }
  /// The columns of words, which stand at the left; the others stand at the right.
  var words: Set<Int> { get }
}

public struct TextTable: Tabular, Sendable {
  public let rows: [[String]]
  public let words: Set<Int>

  public init(_ rows: [[String]], words: Set<Int>) { (self.rows, self.words) = (rows, words) }
}

extension Tabular {
  /// The table, for a terminal: columns as wide as their widest cell, without spaces at the ends of lines. A
  /// column that is empty in every row below the head is left out, and so is one of dashes.
  public var text: [String] {
    let (rows, words, used) = (rows, words, used)
    let widths = used.map { column in rows.map(\.[column].count).max() ?? 0 }
    return rows.map { row in
      let cells = zip(used, widths).map { column, width in
        let padding = String(repeating: " ", count: width - row[column].count)
        return words.contains(column) ? row[column] + padding : padding + row[column]
      }
      let line = cells.joined(separator: "  ")
      return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }
  }

  /// The columns that have something below their heads.
  private var used: [Int] {
    rows[0].indices.filter { column in rows.dropFirst().contains { !["", "–"].contains($0[column]) } }
  }

  /// The heads of columns that have nothing but dashes: figures with too few samples in every row.
  var dashes: [String] {
    rows[0].indices.filter { column in
      let cells = rows.dropFirst().map { $0[column] }.filter { !$0.isEmpty }
      return !cells.isEmpty && cells.allSatisfy { $0 == "–" }
    }.map { rows[0][$0] }
  }

  /// The table, for a comment; without the same columns.
  public var markdown: String {
    let (rows, used) = (rows, used)
    let rule = used.map { words.contains($0) ? "---" : "--:" }
    let cells = rows.map { row in used.map { row[$0].replacing("|", with: "\\|") } }
    return ([cells[0], rule] + cells.dropFirst()).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }
}
