/// A form in which results are written for other programs: a page, a comment on a pull request, a table for a
/// spreadsheet, the JSON of the Java Microbenchmark Harness, XML for CI, or HdrHistogram's distribution of
/// one row.
enum ReportFormat: String, CaseIterable, Sendable {
  case html, markdown, csv, jmh, junit, hgrm

  /// `runs` in this form; all but HTML show the last of them.
  func text(_ runs: [Results]) throws -> String {
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
      return LatencyHistogram(last.results[0].histogram).distribution
    }
  }
}
