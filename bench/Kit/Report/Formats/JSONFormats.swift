/// A result in the form of the Java Microbenchmark Harness (`-rf json`).
private struct JMHResult: Encodable {
  var jmhVersion = "1.37"
  var benchmark: String
  var mode: String
  var threads = 1
  var forks = 1
  var warmupIterations = 0
  var warmupTime = "1 s"
  var warmupBatchSize = 1
  var measurementIterations: Int
  var measurementTime: String
  var measurementBatchSize = 1
  var params: [String: String]?
  var primaryMetric: Metric
  var secondaryMetrics: [String: Metric]

  struct Metric: Encodable {
    var score: Double
    var scoreError: Double
    var scoreConfidence: [Double]
    var scorePercentiles: [String: Double]
    var scoreUnit: String
    var rawData: [[Double]]

    init(_ values: [Double], unit: String) {
      let spread = Spread(values)
      score = spread.median
      scoreError = max(spread.q3 - spread.median, spread.median - spread.q1)
      scoreConfidence = [spread.q1, spread.q3]
      scorePercentiles = [:]
      for percentile in [0.0, 50, 90, 95, 99, 99.9, 100] {
        scorePercentiles["\(percentile)"] = Statistics.quantile(values, percentile / 100)
      }
      scoreUnit = unit
      rawData = [values]
    }
  }
}

/// An entry of github-action-benchmark's `customSmallerIsBetter`.
private struct GitHubEntry: Encodable {
  var name: String
  var unit: String
  var value: Double
  var range: String?
  var extra: String?
}

extension Results {
  /// The JSON of JMH: throughput as the score, CPU time and allocations beside it.
  var jmh: String {
    get throws {
      try LineJSON.string(
        results.map { row in
          var secondary = [
            "cpu": JMHResult.Metric(row.rounds.map(\.cpuNanosecondsPerOperation), unit: "ns/op")
          ]
          for (name, value) in row.countsPerOperation where name != "marks" {
            secondary["·\(name)"] = JMHResult.Metric([value], unit: "#/op")
          }
          var params = ["style": row.style.rawValue]
          for name in row.parameters.names { params[name] = "\(row.parameters[name])" }
          return JMHResult(
            benchmark: "uvbench.\(row.workload)", mode: "thrpt", measurementIterations: row.rounds.count,
            measurementTime: "\(Figure.fixed(method.windowNanoseconds / 1e6, digits: 0)) ms",
            params: params,
            primaryMetric: JMHResult.Metric(row.rounds.map(\.throughput), unit: "ops/s"),
            secondaryMetrics: secondary)
        }, pretty: true) + "\n"
    }
  }

  /// The JSON of github-action-benchmark with `tool: customSmallerIsBetter`.
  var githubBenchmark: String {
    get throws {
      var entries: [GitHubEntry] = []
      for row in results {
        let name = row.id.description
        let spread = row.spread.cpuNanosecondsPerOperation
        entries.append(
          GitHubEntry(
            name: name + " CPU", unit: "ns/op", value: spread.median,
            range: Figure.spread(spread.relative),
            extra: row.ratioToC.map { "\(Figure.ratio($0.cpu)) of c" }))
        if let p99 = row.pooledLatency.p99 {
          entries.append(GitHubEntry(name: name + " p99", unit: "ns", value: Double(p99)))
        }
        if let allocations = row.countsPerOperation["allocations"] {
          entries.append(GitHubEntry(name: name + " allocations", unit: "1/op", value: allocations))
        }
      }
      return try LineJSON.string(entries, pretty: true) + "\n"
    }
  }
}
