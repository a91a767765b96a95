/// A form in which results are written for other programs.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// One page for a browser.
  case html
  /// A comment on a pull request.
  case markdown
  /// A table for a spreadsheet.
  case csv
  /// The JSON of the Java Microbenchmark Harness.
  case jmh
  case junit
  /// HdrHistogram's percentile distribution, of one row.
  case hgrm

  /// The usual ending of a file's name.
  public var ending: String {
    switch self {
    case .html: "html"
    case .markdown: "md"
    case .csv: "csv"
    case .jmh: "json"
    case .junit: "xml"
    case .hgrm: "hgrm"
    }
  }

  /// `runs` in this form; all but HTML show the last of them.
  public func text(_ runs: [Results]) throws -> String {
    guard let last = runs.last, !last.results.isEmpty else {
      throw UsageError("there are no results to report")
    }
    switch self {
    case .html: return HTMLReport(runs).text
    case .markdown: return last.markdown
    case .csv: return last.csv
    case .jmh: return try last.jmh
    case .junit: return last.junit
    case .hgrm:
      guard last.results.count == 1 else {
        throw UsageError("hgrm is of one row: choose it, or give a directory to --output")
      }
      return PercentileDistribution(last.results[0].histogram).text
    }
  }
}
