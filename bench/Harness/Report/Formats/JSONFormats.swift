/// A result in the form of the Java Microbenchmark Harness (`-rf json`).
private struct JMHResult: Encodable {
  var jmhVersion = "1.37"
  var benchmark: String
  var mode: String
  var threads = 1
  var forks: Int
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

    /// A figure of each round, whose rounds so many processes have shared.
    init(_ values: [Double], forks: Int = 1, unit: String) {
      let spread = Spread(values)
      score = spread.median
      scoreError = max(spread.q3 - spread.median, spread.median - spread.q1)
      scoreConfidence = [spread.q1, spread.q3]
      scorePercentiles = [:]
      for percentile in [0.0, 50, 90, 95, 99, 99.9, 100] {
        scorePercentiles["\(percentile)"] = Statistics.quantile(values, percentile / 100)
      }
      scoreUnit = unit
      rawData = (0..<forks).map { fork in
        values.indices.filter { $0 * forks / values.count == fork }.map { values[$0] }
      }
    }
  }
}

extension Results {
  /// The JSON of JMH: throughput as the score, CPU time and allocations beside it.
  var jmh: String {
    get throws {
      let forks = method.processes ?? 1
      return try LineJSON.string(
        results.map { row in
          var secondary = [
            "cpu": JMHResult.Metric(row.rounds.map(\.cpuNanosecondsPerOperation), forks: forks, unit: "ns/op")
          ]
          for (name, value) in row.countsPerOperation where name != .marks {
            secondary["·\(name)"] = JMHResult.Metric([value], unit: "#/op")
          }
          var params = ["style": row.style.rawValue]
          for name in row.parameters.names { params[name] = "\(row.parameters[name])" }
          return JMHResult(
            benchmark: "uvbench.\(row.workload)", mode: "thrpt", forks: forks,
            measurementIterations: row.rounds.count / forks,
            measurementTime: "\(Figure.fixed(method.windowNanoseconds / 1e6, digits: 0)) ms",
            params: params,
            primaryMetric: JMHResult.Metric(row.rounds.map(\.throughput), forks: forks, unit: "ops/s"),
            secondaryMetrics: secondary)
        }, pretty: true) + "\n"
    }
  }
}
