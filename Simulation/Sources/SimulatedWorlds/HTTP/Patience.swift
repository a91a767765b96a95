import UVHTTP

extension HTTPLimits {
  /// Limits of time that no weather reaches.
  static var patient: HTTPLimits {
    var limits = HTTPLimits()
    (limits.headTimeout, limits.idleTimeout, limits.lifetime) = (
      .seconds(9000), .seconds(9000), .seconds(90000)
    )
    (limits.farewell, limits.lastSilence) = (.seconds(600), .seconds(600))
    return limits
  }
}

extension HTTPClientOptions {
  /// Limits of time that no weather reaches.
  static var patient: HTTPClientOptions {
    var options = HTTPClientOptions()
    (options.connections.wait, options.connections.creation) = (.seconds(9000), .seconds(9000))
    (options.headTimeout, options.idleTimeout, options.total) = (
      .seconds(9000), .seconds(9000), .seconds(9000)
    )
    return options
  }
}
