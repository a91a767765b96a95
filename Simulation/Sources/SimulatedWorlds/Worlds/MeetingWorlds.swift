import UV
import UVSimulation

/// Worlds in which two things meet at some moment: a timeout and a turn that computes, a crash and a
/// conversation, a cancellation and a file on its way.
let meetingWorlds: [HuntedWorld] =
  Transport.allCases.flatMap { transport in
    [
      HuntedWorld("late turns over \(transport)") { try lateTurns($0, $1, transport) },
      HuntedWorld("sent files over \(transport)") { try sentFiles($0, $1, transport) },
      HuntedWorld("farewell frames over \(transport)") { try farewellFrames($0, $1, transport) },
    ]
  } + [
    HuntedWorld("crashes over tcp") { try crashes($0, $1, .tcp) },
    HuntedWorld("crashes over tls") { try crashes($0, $1, .tls) },
    HuntedWorld("pauses", pauses), HuntedWorld("runs", runs),
    HuntedWorld("limited runs", limitedRuns), HuntedWorld("upgrades", upgrades),
    HuntedWorld("piped files", pipedFiles), HuntedWorld("watchers", watchers), HuntedWorld("trees", trees),
    HuntedWorld("disks", disks), HuntedWorld("changing names", changingNames),
    HuntedWorld("stopped groups", stoppedGroups), HuntedWorld("adopters", adopters),
  ]

/// One of the other worlds, whose hosts stop for seconds now and then, as a virtual machine does. Those
/// are left out in which something has to happen within a time, or in which a packet that is lost is lost: a
/// datagram, or the reset of a connection on which nobody sends any more.
private func pauses(_ world: World, _ ledger: Ledger) throws {
  let left = ["timeouts", "datagrams", "graceful", "quiescing", "signals", "writes over tcp"]
  let old = (streamWorlds + connectionWorlds + taskWorlds + loopWorlds + otherWorlds).filter { one in
    left.allSatisfy { !one.name.hasPrefix($0) }
  }
  try old[Int(world.random(below: UInt64(old.count)))].build(world, ledger)
  world.disturb([], pausing: world.hosts, every: .seconds(3), longest: .seconds(2))
}
