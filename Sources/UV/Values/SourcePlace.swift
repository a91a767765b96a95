/// A place in a program's source, for reports.
struct SourcePlace: CustomStringConvertible {
  /// The module and the file, or words for a place that is no line of the program's.
  let file: StaticString
  /// Fits into the rest of the last word of `file`.
  private let shortLine: UInt32

  init(file: StaticString, line: UInt) {
    self.file = file
    shortLine = UInt32(clamping: line)
  }

  /// The line; 0 if there is none.
  var line: UInt { UInt(shortLine) }

  /// `Module/File.swift:12`.
  var description: String { Self.text("\(file)", line) }

  static func text(_ file: String, _ line: UInt) -> String { line == 0 ? file : "\(file):\(line)" }
}
