/// A place in a program's source, for reports.
struct SourcePlace: CustomStringConvertible {
  /// The module and the file, or words for a place that is no line of the program's.
  let file: StaticString
  /// The line; 0 if there is none.
  let line: UInt

  /// `Module/File.swift:12`.
  var description: String { Self.text("\(file)", line) }

  static func text(_ file: String, _ line: UInt) -> String { line == 0 ? file : "\(file):\(line)" }
}
