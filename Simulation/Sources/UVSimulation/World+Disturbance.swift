import CSimulation

extension World {
  /// From now on, cuts links, bounces and pauses hosts at random, until the world ends or ``calmDown()`` is
  /// called.
  ///
  /// - Parameters:
  ///   - hosts: Those between which links are cut.
  ///   - bouncing: Those that crash, and start anew a moment later.
  ///   - pausing: Those whose machines stop for a while.
  ///   - interval: How much time lies between two of these, on average.
  ///   - longest: The longest that a link stays cut, or that a host stays down or stopped.
  public func disturb(
    _ hosts: [SimulatedHost], bouncing: [SimulatedHost] = [], pausing: [SimulatedHost] = [],
    every interval: Duration = .seconds(10),
    longest: Duration = .seconds(5)
  ) {
    disturbance += 1
    let disturber = Disturber(self, hosts, bouncing, pausing, interval, longest, disturbance)
    sim_world_start(
      { Unmanaged<Disturber>.fromOpaque($0!).takeRetainedValue().run() },
      // Balanced by the thread.
      Unmanaged.passRetained(disturber).toOpaque())
  }

  /// Ends what ``disturb(_:bouncing:pausing:every:longest:)`` has begun, repairs all links and has all
  /// machines go on.
  public func calmDown() {
    disturbance += 1
    for one in hosts { for other in hosts where one !== other { sim_link_cut(one.raw, other.raw, false) } }
    for host in hosts { sim_host_pause(host.raw, false) }
    note("calm")
  }
}

/// Breaks things, on a thread of the world's own.
private final class Disturber {
  let world: World
  let hosts: [SimulatedHost]
  let bouncing: [SimulatedHost]
  let pausing: [SimulatedHost]
  let interval: Duration
  let longest: Duration
  let number: Int

  init(
    _ world: World, _ hosts: [SimulatedHost], _ bouncing: [SimulatedHost], _ pausing: [SimulatedHost],
    _ interval: Duration, _ longest: Duration,
    _ number: Int
  ) {
    self.world = world
    self.hosts = hosts
    self.bouncing = bouncing
    self.pausing = pausing
    self.interval = interval
    self.longest = longest
    self.number = number
  }

  private func pick(_ count: Int) -> Int { Int(world.random(below: UInt64(count), for: "disturbance")) }

  private func sleep(atMost duration: Duration) {
    sim_sleep(sim_draw("disturbance", UInt64(nanoseconds: duration)) + 1)
  }

  func run() {
    while true {
      sleep(atMost: interval * 2)
      guard world.disturbance == number else { return }
      let links = hosts.count * (hosts.count - 1)
      let count = links + bouncing.count + pausing.count
      guard count > 0 else { return }
      let choice = pick(count)
      if choice < links {
        let from = choice / (hosts.count - 1)
        let to = choice % (hosts.count - 1)
        let (one, other) = (hosts[from], hosts[to < from ? to : to + 1])
        // One way or both.
        if pick(2) == 0 { world.cut(from: one, to: other) } else { world.partition(one, other) }
        sleep(atMost: longest)
        if world.disturbance == number { world.repair(one, other) }
      } else if choice - links < bouncing.count {
        let host = bouncing[choice - links]
        if host.hasEnded { continue }
        world.crash(host)
        sleep(atMost: longest)
        world.bounce(host)
      } else {
        let host = pausing[choice - links - bouncing.count]
        world.pause(host)
        sleep(atMost: longest)
        world.resume(host)
      }
    }
  }
}
