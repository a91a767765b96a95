import Glibc
import Testing
import UV
import UVSimulation
import WorldSupport

/// Calls that a signal interrupts, and sockets that aren't ready although epoll has said so.
@Suite struct InterruptionTests {
  static let weather = Weather(interruption: 0.4, refusal: 0.4)

  @discardableResult static func echo(_ seed: UInt64, faults: [Int]? = nil) throws -> Simulation {
    try Simulation(seed: seed, weather: weather, faults: faults, traceLength: 1 << 16) { world in
      world.host("server") { loop in try await loop.tcp.listen(port: 7).echo() }
      world.client("client") { loop in
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        for round in 1...20 {
          let message = Bytes((0..<round * 1000).map { UInt8(truncatingIfNeeded: $0) })
          try await connection.write(message).value
          #expect(try await connection.read(exactly: message.count).value == message)
          try await loop.sleep(for: .milliseconds(5)).value
          _ = try await loop.work { usleep(100) }.value
        }
        connection.close()
      }
    }
  }

  @Test("A program on the loop stands them, and a seed repeats them", arguments: 1...20) func program(
    seed: UInt64
  ) throws {
    let (one, two) = (try Self.echo(seed), try Self.echo(seed))
    #expect(one.digest == two.digest, "\(String(describing: one.firstDifference(from: two)))")
    #expect(one.trace.contains { $0.call == "epoll_wait" && $0.result == -4 })
    #expect(one.trace.contains { $0.call == "read" && $0.result == -11 })
  }

  @Test("Each is a fault with a number, which a run may leave out") func numbers() throws {
    let all = try Self.echo(1)
    #expect(all.faultCount > 20)
    let none = try Self.echo(1, faults: [])
    #expect(!none.trace.contains { $0.result == -4 })
    let one = try Self.echo(1, faults: [0])
    #expect(one.digest != none.digest)
  }

  @Test("A call that waits is interrupted, but not twice in a row") func blocking() throws {
    let results = Log<Int>()
    try Simulation(seed: 1, weather: Weather(interruption: 1)) { world in
      world.program("a") {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        var byte: UInt8 = 0
        results.append(read(ends[0], &byte, 1))
        results.append(Int(errno))
        #expect(write(ends[1], &byte, 1) == 1)
        #expect(read(ends[0], &byte, 1) == 1)

        // This wait isn't interrupted, because the last one was.
        usleep(1)
        var rest = timespec()
        var time = timespec(tv_sec: 10, tv_nsec: 0)
        #expect(nanosleep(&time, &rest) == -1 && errno == EINTR)
        #expect(rest.tv_sec < 10)
        #expect(nanosleep(&rest, nil) == 0)

        var target = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&target, 1, 1000) == -1 && errno == EINTR)
        #expect(poll(&target, 1, 1000) == 0)

        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        defer { semaphore.deallocate() }
        #expect(sem_init(semaphore, 0, 0) == 0)
        #expect(sem_wait(semaphore) == -1 && errno == EINTR)
        _ = (close(ends[0]), close(ends[1]))
      }
    }
    #expect(results.values == [-1, Int(EINTR)])
  }

  @Test(
    "A signal interrupts a call that waits, unless its handler asks for another try",
    arguments: [true, false])
  func signals(restarts: Bool) throws {
    let result = Log<Int>()
    try Simulation(seed: 1) { world in
      let host = world.program("a") {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        action.sa_flags = restarts ? SA_RESTART : 0
        #expect(sigaction(SIGUSR1, &action, nil) == 0)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let writer = ends[1]
        var id = pthread_t()
        let context = UnsafeMutableRawPointer(bitPattern: Int(writer))
        pthread_create(
          &id, nil,
          { context in
            sleep(10)
            var byte: UInt8 = 7
            _ = write(Int32(Int(bitPattern: context)), &byte, 1)
            return nil
          }, context)
        var byte: UInt8 = 0
        result.append(read(ends[0], &byte, 1))
        result.append(Int(byte))
        pthread_join(id, nil)
      }
      try world.sleep(for: .seconds(1))
      world.signal(host, .user1)
    }
    #expect(result.values == (restarts ? [1, 7] : [-1, 0]))
  }

  @Test("Shrinking leaves interruptions out that a failure doesn't need") func shrinking() throws {
    let small = Simulation.shrink(seed: 1, weather: .storm) { world in
      world.host("a") { loop in
        let start = loop.clock.now
        let bad = try await loop.work { () -> Bool in
          var time = timespec(tv_sec: 1, tv_nsec: 0)
          return (0..<200).contains { _ in nanosleep(&time, nil) < 0 }
        }.value
        if bad { throw UVError(.timedOut, operation: "\(start)") }
      }
    }
    #expect(small?.faults.count == 1)
    #expect(small?.code.contains("interruption: 0.05") == true)
    #expect(small?.code.contains("refusal") == false)
  }
}
