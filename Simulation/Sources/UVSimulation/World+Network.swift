import CSimulation
public import UV

extension World {
  /// Cuts the network between two hosts, in both directions. What they send is lost: streams send it again
  /// and again, for a quarter of an hour, and datagrams are gone.
  public func partition(_ one: SimulatedHost, _ other: SimulatedHost) {
    cut(from: one, to: other)
    cut(from: other, to: one)
  }

  /// Cuts the network in one direction; see ``partition(_:_:)``.
  public func cut(from one: SimulatedHost, to other: SimulatedHost) {
    note("cut \(one.name) → \(other.name)")
    sim_link_cut(one.raw, other.raw, true)
  }

  /// Ends what ``partition(_:_:)`` and ``cut(from:to:)`` have begun between two hosts.
  public func repair(_ one: SimulatedHost, _ other: SimulatedHost) {
    note("repair \(one.name) – \(other.name)")
    sim_link_cut(one.raw, other.raw, false)
    sim_link_cut(other.raw, one.raw, false)
  }

  /// Holds what two hosts send each other, until ``release(_:_:)``. Nothing of it is lost.
  public func hold(_ one: SimulatedHost, _ other: SimulatedHost) {
    note("hold \(one.name) – \(other.name)")
    sim_link_hold(one.raw, other.raw, true)
    sim_link_hold(other.raw, one.raw, true)
  }

  /// Lets go of what was held.
  public func release(_ one: SimulatedHost, _ other: SimulatedHost) {
    note("release \(one.name) – \(other.name)")
    sim_link_hold(one.raw, other.raw, false)
    sim_link_hold(other.raw, one.raw, false)
  }

  /// Sets how long something takes from one host to another, and back.
  ///
  /// - Parameters:
  ///   - latency: The least that it takes.
  ///   - jitter: How much longer it may take.
  ///   - one: A host.
  ///   - other: The other one.
  public func setLatency(
    _ latency: Duration, jitter: Duration = .zero, between one: SimulatedHost, and other: SimulatedHost
  ) {
    for (from, to) in [(one, other), (other, one)] {
      sim_link_delay(from.raw, to.raw, UInt64(nanoseconds: latency), UInt64(nanoseconds: jitter))
    }
  }

  /// Sets how many bytes a link carries in a second, each way; see ``Weather/bandwidth``.
  ///
  /// - Parameters:
  ///   - bytes: How many; 1 or more. With nil, that isn't limited.
  ///   - one: A host.
  ///   - other: The other one.
  public func setBandwidth(
    _ bytes: Int?, between one: SimulatedHost, and other: SimulatedHost
  ) {
    precondition(bytes ?? 1 >= 1, "a link carries 1 byte a second or more, not \(bytes!)")
    note("\(one.name) – \(other.name) carries \(bytes.map(String.init) ?? "any number of") bytes a second")
    for (from, to) in [(one, other), (other, one)] { sim_link_limit(from.raw, to.raw, UInt64(bytes ?? 0)) }
  }

  /// Changes the weather, on all links: those with values of their own have the weather's again.
  public func setWeather(_ weather: Weather) {
    self.weather = weather
    var raw = weather.raw
    sim_set_weather(&raw)
  }

  /// Sets how long a question for a host's name takes, and whether it fails.
  public func setNames(
    latency: Duration = .milliseconds(1), jitter: Duration = .milliseconds(1), fail: Bool = false
  ) {
    sim_set_names(UInt64(nanoseconds: latency), UInt64(nanoseconds: jitter), fail)
  }

  // MARK: Hosts that fail

  /// Cuts a host's power: its threads go no further, and its peers hear nothing. What it has synced stays on
  /// its disk; of the rest, something may be lost (``Weather/unsyncedLoss``).
  public func crash(_ host: SimulatedHost) {
    note("crash \(host.name)")
    host.crash()
  }

  /// Starts a host anew that has crashed or ended. One that runs crashes first.
  public func bounce(_ host: SimulatedHost) {
    if !host.hasEnded { crash(host) }
    note("start \(host.name)")
    host.start()
  }
}

extension World {
  /// Sends a host's process a signal. If the process has no handler for it, it ends at once:
  /// its peers see its connections end, and its files stay.
  public func signal(_ host: SimulatedHost, _ signal: Signal) {
    note("signal \(signal.rawValue) to \(host.name)")
    if !host.hasEnded, !sim_host_signal(host.raw, signal.rawValue) { host.kill() }
  }

  /// Limits how many descriptors a host may have open, the few of libuv's own included. More fail with
  /// `tooManyOpenFiles`.
  ///
  /// - Parameters:
  ///   - count: The limit; nil ends it.
  ///   - host: The host.
  public func limitDescriptors(_ count: Int?, of host: SimulatedHost) {
    note("\(host.name) may have \(count.map(String.init) ?? "any number of") descriptors")
    sim_host_limit(host.raw, Int32(count ?? 0))
  }

  /// Sets a host's date forward or back, as somebody does who corrects it. Its clocks for intervals don't
  /// change.
  public func moveDate(of host: SimulatedHost, by duration: Duration) {
    note("the date of \(host.name) moves by \(duration)")
    let size = Int64(clamping: UInt64(nanoseconds: duration < .zero ? .zero - duration : duration))
    sim_host_move_date(host.raw, duration < .zero ? -size : size)
  }

  /// Writes a file of a host's disk, as if it had been there before. It stays when the host crashes. Its
  /// directory must be there: `/`, `/tmp` or `/etc`.
  public func write(_ bytes: some Sequence<UInt8>, to path: String, of host: SimulatedHost) {
    let bytes = Array(bytes)
    sim_host_write(host.raw, path, bytes, bytes.count)
  }
}
