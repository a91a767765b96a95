/// Student's t-test on two samples of the same variance.
enum StudentT {
  /// The probability that the means of two samples of the same thing lie as far apart as these, or further.
  static func chance(_ left: Moments, _ right: Moments) -> Double {
    let freedom = left.count + right.count - 2
    guard freedom > 0, left.mean != right.mean else { return 1 }
    let variance = ((left.count - 1) * left.variance + (right.count - 1) * right.variance) / freedom
    guard variance > 0 else { return 0 }
    let distance = left.mean - right.mean
    let square = distance * distance / (variance * (1 / left.count + 1 / right.count))
    return incompleteBeta(freedom / (freedom + square), freedom / 2, 0.5)
  }

  /// The regularized incomplete beta function I(x; a, b), by its continued fraction (Abramowitz and Stegun,
  /// 26.5.8), which converges fast on this side of the mean; the other side is its mirror.
  static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    guard x <= (a + 1) / (a + b + 2) else { return 1 - incompleteBeta(1 - x, b, a) }
    // Lentz's method: the ratio of the fraction's two sequences, step by step.
    var (above, below, fraction) = (1.0, 0.0, 1.0)
    for step in 1..<400 {
      let term = coefficient(step, x, a, b)
      below = 1 / nonzero(1 + term * below)
      above = nonzero(1 + term / above)
      fraction *= above * below
      if abs(above * below - 1) < 1e-15 { break }
    }
    let front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b))
    return front / (a * fraction)
  }

  private static func coefficient(_ step: Int, _ x: Double, _ a: Double, _ b: Double) -> Double {
    let m = Double(step / 2)
    if step % 2 == 0 { return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) }
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
  }

  private static func nonzero(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
}
