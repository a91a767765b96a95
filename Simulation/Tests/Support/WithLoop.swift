import Glibc
public import Testing
public import UV
import UVSimulation

// The functions of the library's own tests, with a host of a simulation in the place of a thread. So the
// tests of the library run in the simulation unchanged.

/// Runs `body` on a loop of a simulated host, then checks that nothing was left behind.
@discardableResult
public func withLoop<T: Sendable>(
  within limit: Double? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> T
) async throws -> T {
  try onHost(sourceLocation) { () throws -> T in
    try checkingLoop(sourceLocation) { loop in try loop.run(body) }
  }
}

/// Runs a callback program on a loop of a simulated host, with the checks of `withLoop`.
@discardableResult
public func withCallbackLoop<T: Sendable>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (EventLoop) throws -> T
) async throws -> T {
  try onHost(sourceLocation) { () throws -> T in
    try checkingLoop(sourceLocation) { loop in try loop.runCallbacks(body) }
  }
}

/// Runs `body` on a simulated host's main thread.
@discardableResult
public func withThread<T: Sendable>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () throws -> T
) async throws -> T {
  try onHost(sourceLocation, body)
}

private func checkingLoop<T>(
  _ place: SourceLocation, _ run: (EventLoop) throws -> T
) throws -> T {
  let loop = try EventLoop()
  defer { loop.shutdown() }
  let result = Result { try run(loop) }
  if !loop.statistics.isIdle { Issue.record("left on the loop: \(loop.statistics)", sourceLocation: place) }
  return try result.get()
}

private func onHost<T: Sendable>(
  _ place: SourceLocation, _ body: @escaping @Sendable () throws -> T
) throws -> T {
  let outcome = Box<Result<T, any Error>>(nil)
  let before = Box(0)
  var after = 0
  try Simulation(seed: TestSeed.seed, weather: TestSeed.weather) { world in
    world.addPrograms()
    let host = world.program("host") {
      // libuv itself keeps a pair for signals, once it is used.
      try EventLoop().shutdown()
      mkdir(temporaryDirectory, 0o777)
      before.value = SimulatedHost.openDescriptorsHere
      outcome.value = Result { try body() }
      SimulatedHost.waitForDetachedTasks()
    }
    try world.wait(for: host)
    after = host.openDescriptors
  }
  if after > before.value! {
    Issue.record("\(after - before.value!) descriptors were left open", sourceLocation: place)
  }
  return try outcome.value!.get()
}
