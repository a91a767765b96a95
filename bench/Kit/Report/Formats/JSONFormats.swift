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

extension Results {
  /// The JSON of JMH: throughput as the score, CPU time and allocations beside it.
  var jmh: String {
    get throws {
      try LineJSON.string(
        results.map { row in
          var secondary = [
            "cpu": JMHResult.Metric(row.rounds.map(\.cpuNanosecondsPerOperation), unit: "ns/op")
          ]
          for (name, value) in row.countsPerOperation where name != .marks {
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
}
