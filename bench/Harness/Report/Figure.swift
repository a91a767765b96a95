/// Numbers as people read them: three significant digits and a unit.
public enum Figure {
  /// `1.23M`, `456k`, `78.9`.
  public static func count(_ value: Double) -> String {
    scaled(value, [(1e9, "G"), (1e6, "M"), (1e3, "k")], unit: "")
  }

  /// `59`, `1.23M`: how many there are of something.
  static func whole(_ value: Int) -> String { value < 1000 ? "\(value)" : count(Double(value)) }

  /// `1 row`, `5 rows`.
  public static func number(_ value: Int, _ what: String) -> String {
    "\(value) \(what)\(value == 1 ? "" : "s")"
  }

  /// `1.23 µs`, `456 ns`, `78.9 ms`.
  public static func duration(_ nanoseconds: Double) -> String {
    scaled(nanoseconds, [(1e9, " s"), (1e6, " ms"), (1e3, " µs")], unit: " ns")
  }

  /// A latency; – where there are too few samples of it.
  static func duration(_ nanoseconds: UInt64?) -> String { nanoseconds.map { duration(Double($0)) } ?? "–" }

  /// `12.3 MiB`.
  static func bytes(_ value: Double) -> String {
    let mebibyte = 1_048_576.0
    return scaled(value, [(1024 * mebibyte, " GiB"), (mebibyte, " MiB"), (1024, " KiB")], unit: " B")
  }

  /// `1.23×`.
  public static func ratio(_ value: Double) -> String { fixed(value, digits: 2) + "×" }

  /// `12.3%`.
  static func percent(_ share: Double) -> String { fixed(share * 100, digits: 1) + "%" }

  /// `±4.5%`.
  static func spread(_ share: Double) -> String {
    "±" + fixed(share * 100, digits: share < 0.0995 ? 1 : 0) + "%"
  }

  /// `value` with so many digits after the point.
  static func fixed(_ value: Double, digits: Int) -> String {
    guard value.isFinite else { return "–" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let units = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && units > 0 ? "-" : ""
    guard digits > 0 else { return sign + "\(units)" }
    let fraction = String(units % Int64(scale))
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return sign + "\(units / Int64(scale))." + zeros + fraction
  }

  /// `value` with three significant digits.
  static func significant(_ value: Double) -> String {
    let size = abs(value)
    return fixed(value, digits: size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2)
  }

  private static func scaled(
    _ value: Double, _ units: [(scale: Double, name: String)], unit: String
  ) -> String {
    // 999.6 k is 1.00 M: decide after rounding.
    for (scale, name) in units where abs(value) >= scale * 0.9995 { return significant(value / scale) + name }
    return significant(value) + unit
  }
}
