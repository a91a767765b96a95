import CUV

/// How many tasks a loop has from each place, and how many connections in each state. All are counted, where a
/// snapshot lists some.
package struct LoopCensus: Sendable {
  /// The tasks that were spawned in one place.
  package struct Tasks: Sendable {
    /// The place, such as `Server/main.swift:12`.
    package let place: String
    package fileprivate(set) var count = 0
    /// How many of them wait for a request of the loop.
    package fileprivate(set) var waiting = 0
    /// How long ago the oldest was spawned.
    package fileprivate(set) var oldest = Duration.zero
  }

  /// Whether a connection reads, writes, waits or ends.
  package enum ConnectionState: String, Sendable, CaseIterable {
    case reading, writing, idle, closing
  }

  /// Those with the most tasks first.
  package fileprivate(set) var tasks: [Tasks] = []
  /// Connections of TCP and of Unix sockets that came through a listener.
  package fileprivate(set) var accepted: [ConnectionState: Int] = [:]
  /// The others, which the program has opened.
  package fileprivate(set) var opened: [ConnectionState: Int] = [:]
  package fileprivate(set) var listeners = 0
}

extension LoopCensus {
  init(of loop: EventLoop) {
    let now = uv_hrtime() / 1_000_000
    var places: [PlaceKey: (tasks: LoopCensus.Tasks, oldest: UInt64)] = [:]
    loop.tasks.forEach { task in
      let key = PlaceKey(place: task.origin)
      var entry = places[key] ?? (LoopCensus.Tasks(place: task.origin.description), .max)
      entry.tasks.count += 1
      if !task.wait.isEmpty, task.wait.awaited != nil { entry.tasks.waiting += 1 }
      entry.oldest = min(entry.oldest, task.start)
      places[key] = entry
    }
    tasks = places.values.map { entry in
      var tasks = entry.tasks
      tasks.oldest = .milliseconds(now > entry.oldest ? now - entry.oldest : 0)
      return tasks
    }
    tasks.sort { ($1.count, $0.place) < ($0.count, $1.place) }
    loop.forEachHandle { $0.count(in: &self) }
  }
}

/// A place is found by the address of its name, which costs less than the name.
private struct PlaceKey: Hashable {
  let place: SourcePlace

  private var address: Int { place.file.hasPointerRepresentation ? Int(bitPattern: place.file.utf8Start) : 0 }

  static func == (a: PlaceKey, b: PlaceKey) -> Bool {
    a.address == b.address && a.place.line == b.place.line
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(address)
    hasher.combine(place.line)
  }
}

extension HandleBlock {
  /// Adds the handle if it is a connection or a listener. As in a snapshot, this touches only an owner that
  /// retains itself.
  fileprivate func count(in census: inout LoopCensus) {
    guard type == .tcp || type == .pipe else { return }
    if !isClosing, listenerPoll != nil {
      census.listeners += 1
      return
    }
    var state = LoopCensus.ConnectionState.idle
    if isClosing {
      state = .closing
    } else if let owner = header.pointee.retainedOwner?.takeUnretainedValue() {
      state = owner.queuedByteCount > 0 ? .writing : owner.isAwaited ? .reading : .idle
    }
    if header.pointee.role == .accepted {
      census.accepted[state, default: 0] += 1
    } else {
      census.opened[state, default: 0] += 1
    }
  }
}
