/// The weather of a program, which the system's kernel doesn't know: what is drawn of it, so that a seed draws the same
/// program as in the simulation.
public struct Weather: Sendable, Hashable {
  /// Times, none of which counts.
  public var latency = Duration.zero, jitter = Duration.zero
  /// Chances.
  public var cut = 0.0, loss = 0.0, duplication = 0.0, interruption = 0.0, refusal = 0.0

  /// The only weather.
  public static let calm = Weather()
  /// The same.
  public static let usual = Weather()
  /// The same.
  public static let storm = Weather()
  /// The same for each seed.
  public static func swarm(_: UInt64) -> Weather { calm }
}
