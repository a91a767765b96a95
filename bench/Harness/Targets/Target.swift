/// What the rows of a case are meant to reach beside the row in C.
public struct Target: Sendable {
  public enum Quantity: String, Sendable {
    /// Processor time per operation: the ratio to c is to be no more.
    case processorTime = "CPU/op"
    /// Operations per second: the ratio to c is to be no less.
    case throughput = "ops/s"
    /// Instructions in user space per operation: so many above c's at most.
    case instructions = "instructions"
    /// Processor time per operation in nanoseconds: no more by itself, or above another case of the same
    /// style.
    case nanoseconds = "CPU ns/op"
    /// Bytes that are held for an operation while nothing is under way: no more.
    case bytes = "bytes held"
    /// Bytes that an operation adds to the resident size of a program: no more.
    case resident = "bytes resident"
    /// The 99th percentile of latency: the ratio to another case of the same style is to be no more.
    case tail = "p99"

    /// What is counted for it, if that is bytes.
    var countOfBytes: Counter? {
      switch self {
      case .bytes: .heldBytes
      case .resident: .residentBytes
      default: nil
      }
    }
  }

  var workload: String
  /// Its parameters, where they are not the usual ones.
  var parameters: [String: Int]
  /// The parameters in which the case of the same style differs that nanoseconds are above, or a tail is
  /// divided by.
  var base: [String: Int]
  var quantity: Quantity
  var bounds: [Style: Double]
  /// Why a style misses its bound, where it is known to.
  var reasons: [Style: String]

  public init(
    _ workload: String, _ parameters: [String: Int] = [:], _ quantity: Quantity = .processorTime,
    above base: [String: Int] = [:], bounds: [Style: Double], reasons: [Style: String] = [:]
  ) {
    (self.workload, self.parameters, self.base, self.quantity) = (workload, parameters, base, quantity)
    (self.bounds, self.reasons) = (bounds, reasons)
  }

  func covers(_ row: RowResult) -> Bool {
    row.workload == workload && parameters.allSatisfy { row.parameters.value($0.key) == $0.value }
  }

  var heading: String {
    switch quantity {
    case .processorTime, .throughput: quantity.rawValue + " / c"
    case .instructions: quantity.rawValue + " above c"
    case .bytes, .resident: quantity.rawValue
    case .nanoseconds:
      quantity.rawValue + (base.isEmpty ? "" : " above \(ParameterValues(base))")
    case .tail: quantity.rawValue + " / \(ParameterValues(base))"
    }
  }

  func isMet(_ figure: Double, _ bound: Double) -> Bool {
    quantity == .throughput ? figure >= bound : figure <= bound
  }
}
