import CUV
import Glibc
import UV
import UVSimulation

/// Programs that share a host's libuv loop, beside one with a host's loop of its own on another thread. The host stops its
/// loops early, or tries to close them. The guests leave at different times: each question of theirs is answered once and in
/// time, one that stays isn't disturbed by one that leaves, and the host can close its loop after a turn.
func adopters(_ world: World, _ ledger: Ledger) throws {
  world.program("a") {
    let far = Shared<LoopExecutor?>(nil)
    let mayEnd = Shared(false)
    let other = HostThread {
      let host = AdoptedHost(ledger)
      guard let guest = host.guest("far") else { return }
      far.value = guest.loop.executor
      host.run { mayEnd.value }
      host.end([guest])
    }
    while far.value == nil { usleep(1000) }
    let host = AdoptedHost(ledger)
    let guests = ["first", "second"].compactMap(host.guest)
    let draw = guests[0].loop.draw
    for guest in guests { guest.begin(5 + draw(15), far.value!) }
    let end = LoopClock.Instant.now.advanced(by: .milliseconds(Int64(draw(600))))
    host.run { LoopClock.Instant.now >= end }
    if draw(2) == 0 {
      // One leaves, and the other has all that it asks for.
      let (leaving, staying) = draw(2) == 0 ? (guests[0], guests[1]) : (guests[1], guests[0])
      leaving.leave()
      staying.begin(5, far.value!)
      let limit = LoopClock.Instant.now.advanced(by: .seconds(5))
      host.run { staying.open == 0 && leaving.hasLeft || LoopClock.Instant.now >= limit }
      if staying.open > 0 { ledger.complain("\(staying.open) questions of the one that stays are open") }
    }
    host.end(guests)
    mayEnd.value = true
    other.join()
  }
}

/// A program with a libuv loop, which has a timer of its own on it.
private final class AdoptedHost {
  private let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
  private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  private let ticks = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  private let begin = LoopClock.Instant.now
  private let ledger: Ledger
  private static let interval: UInt64 = 10

  init(_ ledger: Ledger) {
    self.ledger = ledger
    uv_loop_init(loop)
    ticks.pointee = 0
    loop.pointee.data = UnsafeMutableRawPointer(ticks)
    uv_timer_init(loop, timer)
    uv_timer_start(
      timer, { $0!.pointee.loop.pointee.data.assumingMemoryBound(to: Int.self).pointee += 1 }, Self.interval,
      Self.interval)
  }

  deinit {
    timer.deallocate()
    ticks.deallocate()
    loop.deallocate()
  }

  func guest(_ name: String) -> LoopGuest? {
    do throws(UVError) { return LoopGuest(try EventLoop(adopting: loop), name, ledger) } catch {
      ledger.complain("adopting: \(error)")
      return nil
    }
  }

  /// Runs turn by turn. The host's timer, which fires all the time, ends each wait.
  func run(until isOver: () -> Bool) {
    while !isOver() { uv_run(loop, UV_RUN_ONCE) }
  }

  /// Closes the loop once all guests have left, which is tried before, too.
  func end(_ guests: [LoopGuest]) {
    if guests.contains(where: { !$0.hasLeft }), uv_loop_close(loop) != UV_EBUSY.rawValue {
      ledger.complain("a loop with guests is closed")
    }
    for guest in guests { guest.leave() }
    let limit = LoopClock.Instant.now.advanced(by: .seconds(2))
    run { guests.allSatisfy(\.hasLeft) || LoopClock.Instant.now >= limit }
    for guest in guests where !guest.hasLeft { ledger.complain("guest \(guest.name) hasn't left in time") }
    let most = Int(begin.duration(to: .now) / .milliseconds(Int64(Self.interval))) + 1
    // Nothing of this computes, so that the timer is late by rounding alone.
    if ticks.pointee > most || ticks.pointee < most / 2 {
      ledger.complain("the host's timer has fired \(ticks.pointee) times, and not \(most)")
    }
    uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self), nil)
    uv_run(loop, UV_RUN_NOWAIT)
    let code = uv_loop_close(loop)
    if code != 0 { ledger.complain("the host's loop can't be closed: \(code)") }
  }
}

/// One that has adopted a host's loop.
private final class LoopGuest {
  let name: String
  let loop: EventLoop
  private let ledger: Ledger
  private(set) var open = 0
  private(set) var hasLeft = false
  private var isLeaving = false
  private var number = 0

  init(_ loop: EventLoop, _ name: String, _ ledger: Ledger) {
    (self.loop, self.name, self.ledger) = (loop, name, ledger)
  }

  func leave() {
    if isLeaving { return }
    isLeaving = true
    let done: Completion<Void> = ledger.ask("\(name) leaves") { [self] _ in
      hasLeft = true
      if open > 0 { ledger.complain("\(name) has left, and \(open) questions are open") }
    }
    if loop.isDrawn(oneIn: 2) {
      loop.detach(done)
    } else {
      loop.detach(leavingTasksAfter: .seconds(1)) { done($0.map { _ in () }) }
    }
  }

  private func done<T>(_ text: String, _ isRight: @escaping (T) -> Bool = { _ in true }) -> Completion<T> {
    open += 1
    number += 1
    return ledger.ask("\(name): \(text) \(number)") { [self] result in
      open -= 1
      if EventLoop.current !== loop { ledger.complain("\(name): \(text) is answered on another loop") }
      switch result {
      case .success(let value): if !isRight(value) { ledger.complain("\(name): \(text) is \(value)") }
      case .failure(let error):
        let isEnd = error.isCancelled || error.code == .loopClosed
        if !isEnd || !isLeaving { ledger.complain("\(name): \(text): \(error)") }
      }
    }
  }

  /// Asks for so many things.
  func begin(_ count: Int, _ far: LoopExecutor) {
    for value in 0..<count {
      let length = Duration.milliseconds(Int64(loop.draw(800)))
      switch loop.draw(7) {
      case 0: loop.sleep(for: length, done("sleep"))
      case 1:
        let done: Completion<Void> = done("task")
        loop.spawn { [loop] in
          do throws(UVError) {
            try await loop.sleep(for: length).value
            done(.success(()))
          } catch { done(.failure(error)) }
        }
      case 2: loop.work({ value }, done("work") { $0 == value })
      case 3:
        let bytes = message(value, 2000)
        loop.files.writeFile("/tmp/\(name)\(value)", bytes, done("write"))
      case 4: far.submit(on: loop) { _ in value }.start(done("submit") { $0 == value })
      case 5:
        far.run(on: loop) { (other: EventLoop) async throws(UVError) -> Int in
          try await other.sleep(for: length).value
          return value
        }.start(done("run") { $0 == value })
      default: echo(value)
      }
    }
  }

  private func echo(_ value: Int) {
    guard let (here, there) = try? loop.pipes.socketPair() else { return ledger.complain("no pair") }
    let bytes = message(value, 3000)
    here.write(bytes, done("write to a pair"))
    here.shutdown(done("shutdown"))
    there.readToEnd(limit: 1 << 20).start(done("read") { $0 == bytes })
  }
}

/// A thread of the host that runs `body`.
private final class HostThread {
  private var thread = pthread_t()

  init(_ body: @escaping () -> Void) {
    // Balanced by the thread.
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    pthread_create(
      &thread, nil,
      {
        Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().body()
        return nil
      }, context)
  }

  func join() { pthread_join(thread, nil) }

  private final class Body {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}
