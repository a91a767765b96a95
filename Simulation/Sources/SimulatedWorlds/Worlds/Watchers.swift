import UV
import UVPromises
import UVSimulation

/// Files that are replaced, whole, while others follow them by watchers. A follower never sees half a file
/// nor an older one after a newer one, and at the end it has seen the last.
func watchers(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let path = "/tmp/watched/config"
    try await loop.files.mkdir("/tmp/watched").value
    func write(_ version: Int) async throws(UVError) {
      try await loop.files.writeFile(
        path, Bytes(Array("\(version) ".utf8) + Array(message(version, 500))), atomically: true
      ).value
    }
    try await write(0)
    let followers = loop.draw(3) + 1
    let count = 1 + loop.draw(15)
    let newest = Shared(0)
    var tasks: [LoopTask<Void, any Error>] = []
    for number in 0..<followers {
      let style = loop.draw(4)
      tasks.append(
        loop.spawn { () async throws in try await follow(loop, path, style, count, newest, number) })
    }
    for version in 1...count {
      newest.value = version
      if loop.isDrawn(oneIn: 4) { try await loop.files.writeFile("/tmp/watched/other", Bytes("x")).value }
      try await write(version)
      try await loop.dawdle()
      if loop.isDrawn(oneIn: 6) { loop.block(for: .milliseconds(20)) }
    }
    for task in tasks { try await task.value }
  }
}

/// Which version a file has; nil if there is none.
private nonisolated(nonsending) func version(_ loop: EventLoop, _ path: String) async throws -> Int? {
  let bytes: Bytes
  do throws(UVError) { bytes = try await loop.files.readFile(path).value } catch {
    if error.code == .noSuchFile { return nil }
    throw error
  }
  guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
    let version = Int(String(decoding: bytes[..<space], as: UTF8.self))
  else { throw Violation("half a file: \(bytes.count) bytes") }
  try expect(Bytes(bytes[(space + 1)...]) == message(version, 500), "version \(version) isn't whole")
  return version
}

/// Follows a file until its last version.
private nonisolated(nonsending) func follow(
  _ loop: EventLoop, _ path: String, _ style: Int, _ last: Int, _ newest: Shared<Int>, _ number: Int
) async throws {
  var seen = 0
  func look() async throws -> Bool {
    if let version = try await version(loop, path) {
      try expect(version >= seen, "follower \(number) sees \(version) after \(seen)")
      try expect(version <= newest.value, "follower \(number) sees \(version), which isn't written")
      seen = version
    }
    return seen == last
  }
  switch style {
  case 0:
    // The directory.
    let watcher = try loop.files.watch("/tmp/watched")
    defer { watcher.close() }
    if try await look() { return }
    for try await event in watcher where event.name == "config" || event.name == nil {
      if try await look() { return }
      if loop.isDrawn(oneIn: 4) { try await loop.dawdle() }
    }
    throw Violation("the watcher has ended")
  case 1:
    // The file itself, whose watcher ends when another one takes its name.
    while true {
      do throws(UVError) {
        let watcher = try loop.files.watch(path)
        defer { watcher.close() }
        let isOver: Bool
        do { isOver = try await look() } catch {
          throw (error as? UVError) ?? UVError(.invalidArgument, operation: "\(error)")
        }
        if isOver { return }
        while try await watcher.next().value != nil {
          let isOver: Bool
          do { isOver = try await look() } catch {
            throw (error as? UVError) ?? UVError(.invalidArgument, operation: "\(error)")
          }
          if isOver { return }
        }
        throw UVError(.endOfFile, operation: "the watcher has ended")
      } catch { if error.code != .noSuchFile { throw error } }
    }
  case 2:
    // The directory, by a handler, and with readers that give up.
    let watcher = try loop.files.watch("/tmp/watched")
    defer { watcher.close() }
    let changed = Shared(true)
    watcher.start { result in if case .success(.some) = result { changed.value = true } }
    while true {
      if changed.value {
        changed.value = false
        if try await look() { return }
      }
      try await loop.sleep(for: .milliseconds(Int64(1 + loop.draw(30)))).value
      if loop.isDrawn(oneIn: 5) {
        watcher.stop()
        try await loop.dawdle()
        do throws(UVError) {
          if try await watcher.next().timeout(after: .milliseconds(3)).value != nil { changed.value = true }
        } catch { if error.code != .timedOut { throw error } }
        watcher.start { result in if case .success(.some) = result { changed.value = true } }
      }
    }
  default:
    // Its status, asked for at intervals.
    let watcher = try loop.files.watchStatus(path, every: .milliseconds(Int64(20 + loop.draw(200))))
    defer { watcher.close() }
    if try await look() { return }
    for try await _ in watcher { if try await look() { return } }
    throw Violation("the watcher has ended")
  }
}
