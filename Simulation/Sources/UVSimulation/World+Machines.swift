import CSimulation
public import UV

extension World {
  /// Stops a host's whole machine, as the owner of a virtual one does, until ``resume(_:)``: its threads go
  /// no further, and what is sent to it is lost. Its clocks go on.
  public func pause(_ host: SimulatedHost) {
    note("pause \(host.name)")
    sim_host_pause(host.raw, true)
  }

  /// Has a machine go on that was stopped with ``pause(_:)``.
  public func resume(_ host: SimulatedHost) {
    note("resume \(host.name)")
    sim_host_pause(host.raw, false)
  }

  /// Has a host's clocks drift: those for intervals and the date, for all that begins to wait from now on.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - rate: How many seconds pass on its clocks in a second of the world, between 0.001 and 1,000. A bad
  ///     clock of a machine has 1.0001.
  public func setClockRate(of host: SimulatedHost, to rate: Double) {
    precondition((0.001...1000).contains(rate), "a clock's rate is between 0.001 and 1,000, not \(rate)")
    note("the clocks of \(host.name) go by \(rate)")
    sim_host_set_rate(host.raw, UInt64((rate * 1e9).rounded()))
  }

  /// Has calls of a host fail at a chosen count.
  ///
  /// ```swift
  /// world.fail("accept", of: server, after: 3, with: .tooManyOpenFiles)
  /// world.fail("socket", of: client, times: 10, with: .outOfMemory)
  /// ```
  ///
  /// libuv ends the process if `eventfd` or `epoll_ctl` fail with an error that it takes for impossible.
  ///
  /// - Parameters:
  ///   - call: The call's name, as in the trace: `accept`, `bind`, `connect`, `dup`, `epoll_create`,
  ///     `epoll_ctl`, `eventfd`, `fork`, `listen`, `mkdir`, `open`, `pipe`, `pthread_create`, `read`, `recvmsg`,
  ///     `rename`, `rmdir`, `sendfile`, `sendmsg`, `socket`, `socketpair`, `stat`, `symlink`, `sync`,
  ///     `truncate`, `unlink`, `write`. Calls that work alike have one name: `accept4` is an `accept`,
  ///     `readv` a `read`. Reads and writes are those of files and sockets.
  ///   - host: The host.
  ///   - count: How many calls of that name go well before, from now on; libuv's own count, too.
  ///   - times: How many fail then.
  ///   - code: The error.
  public func fail(
    _ call: String, of host: SimulatedHost, after count: Int = 0, times: Int = 1, with code: UVError.Code
  ) {
    precondition(
      count >= 0 && times >= 1 && (-4095..<0).contains(code.rawValue), "no such failure of \(call)")
    note("\(call) of \(host.name) fails \(times) times after \(count), with \(-code.rawValue)")
    let isKnown = sim_host_plan(host.raw, call, UInt64(count), UInt64(times), -code.rawValue)
    precondition(isKnown, "no call \"\(call)\" can be made to fail")
  }
}
