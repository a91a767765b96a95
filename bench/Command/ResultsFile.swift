import BenchKit

/// A file that `run --json` wrote.
enum ResultsFile {
  /// What a file says of its own form, whatever the form.
  private struct Form: Decodable {
    var schema: Int?
  }

  /// Its results. What is wrong with it is said in a line.
  static func read(_ path: String) throws -> Results {
    guard let text = try TextFile.text(of: path) else {
      throw UsageError("cannot read \(path): there is no such file")
    }
    return try results(text, from: path)
  }

  /// The results in the text of a file; `path` is its name.
  static func results(_ text: String, from path: String) throws -> Results {
    do {
      let form = try LineJSON.value(Form.self, text)
      if let schema = form.schema, schema > Results.currentSchema {
        throw UsageError(
          "\(path) has form \(schema); this program reads up to \(Results.currentSchema)")
      }
      return try LineJSON.value(Results.self, text)
    } catch let error as DecodingError {
      throw UsageError("\(path) \(complaint(error)); it is no file of `run --json`")
    }
  }

  private static func complaint(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context): "has no `\(name(context.codingPath + [key]))`"
    case .typeMismatch(_, let context) where context.codingPath.isEmpty: "holds no object"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "has something else than it must in `\(name(context.codingPath))`"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "is not JSON"
    case .dataCorrupted(let context): "is broken in `\(name(context.codingPath))`"
    @unknown default: "cannot be read"
    }
  }

  /// `results[2].style`.
  private static func name(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { text, key in
      text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? "" : ".") + key.stringValue
    }
  }
}
