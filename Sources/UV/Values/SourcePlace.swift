/// A place in a program's source, for reports.
struct SourcePlace: CustomStringConvertible {
  /// The module and the file.
  let file: StaticString
  let line: UInt

  /// `Module/File.swift:12`.
  var description: String { "\(file):\(line)" }
}
