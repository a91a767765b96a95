/// What one operation of a row costs, counted.
typealias Counts = [Counter: CountFigure]

struct CountFigure: Hashable, Codable, Sendable {
  /// The median of the repetitions.
  var value: Double
  /// How far apart the repetitions lay.
  var range: Double
  /// Set where the workload says that it depends on timing, whatever the repetitions show.
  var dependsOnTiming: Bool?

  enum CodingKeys: String, CodingKey {
    case value, range
    case dependsOnTiming = "depends_on_timing"
  }

  init(_ values: [Double], ofTiming: Bool = false) {
    dependsOnTiming = ofTiming ? true : nil
    value = Self.tidy(Statistics.median(values))
    range = Self.tidy((values.max() ?? 0) - (values.min() ?? 0))
  }

  // A committed file shall not differ in the ninth digit.
  private static func tidy(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}

/// The counts that a change is compared with: a committed file, and valid for one
/// version of everything that is counted.
struct CountsBaseline: Codable, Sendable {
  var schema = 1
  var swift: String
  /// The version of libuv, or of what else is under test.
  var libraries: [String: String]
  var architecture: String
  /// Counts per operation, by the full name of the row.
  var rows: [String: Counts]

  /// Takes rows that were counted anew. The rows of other revisions of the same workloads go, since no
  /// program counts them any more.
  mutating func take(_ fresh: [String: Counts]) {
    let ids = fresh.keys.compactMap { WorkloadID($0) }
    let revisions = Dictionary(ids.map { ($0.workload, $0.revision) }) { $1 }
    rows = rows.filter { row in
      guard let id = WorkloadID(row.key), let revision = revisions[id.workload] else { return true }
      return id.revision == revision
    }
    rows.merge(fresh) { $1 }
  }

  /// The text of the file. Each row is a line, as it is in the difference of two versions.
  func text() throws -> String {
    var head = self
    head.rows = [:]
    let lines = try rows.sorted { $0.key < $1.key }.map {
      try "\(LineJSON.string($0.key)):\(LineJSON.string($0.value))"
    }
    return try LineJSON.string(head)
      .replacing(#""rows":{}"#, with: "\"rows\":{\n\(lines.joined(separator: ",\n"))\n}") + "\n"
  }

  var fileName: String {
    let parts = libraries.sorted { $0.key < $1.key }.map { "\($0.key)-\($0.value)" }
    let name = (["counts", "swift-\(swift)"] + parts + [architecture]).joined(separator: "_")
    return String(name.map { $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "-" }) + ".json"
  }
}
