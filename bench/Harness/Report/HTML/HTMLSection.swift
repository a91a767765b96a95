extension HTMLReport {
  struct Section: Sendable {
    var id: String
    var title: String
    var html: String

    /// A table with lines of text below it; the first row is the head.
    init(id: String, title: String, table: [[String]], notes: [String]) {
      (self.id, self.title) = (id, title)
      html =
        Self.table(table) + (notes.isEmpty ? "" : "<ul class=\"notes\">")
        + notes.map { "<li>\(XMLText.escaped($0))</li>" }.joined() + (notes.isEmpty ? "" : "</ul>")
    }

    static func table(_ table: [[String]]) -> String {
      let used = (table.first ?? []).indices.filter { column in
        table.dropFirst().contains { column < $0.count && !["", "–"].contains($0[column]) }
      }
      let table = table.map { row in used.filter(row.indices.contains).map { row[$0] } }
      let (head, body) = (table.first ?? [], table.dropFirst())
      let isText = head.indices.map { column in
        body.allSatisfy { column >= $0.count || !Self.isFigure($0[column]) }
      }
      func row(_ cells: [String], _ tag: String) -> String {
        let cells = zip(cells, isText).map { text, isText in
          "<\(tag)\(isText ? " class=\"text\"" : "")>\(XMLText.escaped(text))</\(tag.prefix(2))>"
        }
        return "<tr>\(cells.joined())</tr>"
      }
      return "<div class=\"scroll\" tabindex=\"0\"><table><thead>\(row(head, "th scope=\"col\""))</thead>"
        + "<tbody>\(body.map { row($0, "td") }.joined())</tbody></table></div>"
    }

    /// Figures stand below each other at the right, text begins at the left.
    private static func isFigure(_ text: String) -> Bool {
      text.first.map { $0.isNumber || "≤≥–-+±<".contains($0) } ?? false
    }
  }
}
