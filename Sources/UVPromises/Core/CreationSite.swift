/// A place in the source: where a promise was made.
public struct CreationSite: Sendable, CustomStringConvertible {
  private let fileID: StaticString
  /// The line in the file.
  public let line: UInt

  /// Creates a site; the default is the place of the call.
  public init(file: StaticString = #fileID, line: UInt = #line) {
    fileID = file
    self.line = line
  }

  /// The module and file, as `#fileID` has it.
  public var file: String { "\(fileID)" }

  /// `Module/File.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
