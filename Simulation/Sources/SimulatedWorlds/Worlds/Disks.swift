import Glibc
import UV
import UVPromises
import UVSimulation

/// Requests for files on a disk that is full, fails, or takes a part of what it is given, in every style.
/// What was reported as written is there, what has failed leaves a whole file as it was, and each failure is
/// the disk's.
func disks(_ world: World, _ ledger: Ledger) throws {
  let fails = world.random(below: 2) == 0
  if fails {
    var weather = world.weather
    weather.diskError = Double(1 + world.random(below: 100)) / 500
    world.setWeather(weather)
  }
  let host = world.node("a") { loop in
    try await loop.sleep(for: .milliseconds(1)).value
    // Of each whole file, the contents that were written last; nil where a write has failed that may have
    // left a part.
    var wholes: [String: Bytes?] = [:]
    for round in 0..<25 {
      let name = "/tmp/whole \(loop.draw(3))"
      switch loop.draw(6) {
      case 0, 1:
        let isAtomic = loop.isDrawn(oneIn: 2)
        let bytes = message(round, loop.draw([100, 30_000][loop.draw(2)]))
        let writing = loop.files.writeFile(name, bytes, atomically: isAtomic)
        if try await ask(loop, writing, ledger, "write") != nil {
          wholes[name] = bytes
        } else if !isAtomic {
          wholes[name] = .some(nil)
        }
      case 2:
        guard let expected = wholes[name], let expected else { continue }
        let found = try await ask(loop, loop.files.readFile(name), ledger, "read")
        try expect(found == nil || found == expected, "round \(round): another file")
      case 3: try await useFile(loop, ledger, round)
      case 4:
        if let known = wholes[name], known != nil,
          try await ask(loop, loop.files.unlink(name), ledger, "unlink") != nil
        {
          wholes[name] = nil
        }
      default:
        // It ends, however it does.
        let target = "/tmp/copy"
        guard let expected = wholes[name], let expected else { continue }
        if try await ask(loop, loop.files.copyfile(name, to: target), ledger, "copy") != nil {
          let found = try await ask(loop, loop.files.readFile(target), ledger, "read a copy")
          // libuv takes an EIO for a file without positions, and goes on at its beginning. It says success.
          try expect(fails || found == nil || found == expected, "round \(round): another copy")
        }
      }
    }
    if fails { return }
    let left = try await loop.files.scandir("/tmp").value.map { "\($0.name)" }
    try expect(
      left.allSatisfy { $0.hasPrefix("whole ") || $0 == "copy" || $0 == "parts" }, "names are left: \(left)")
  }
  if world.random(below: 2) == 0 { world.limitFileTransfers(1 + Int(world.random(below: 9000)), of: host) }
  while !host.hasEnded {
    switch world.random(below: 4) {
    case 0: world.limitDisk(1 + Int(world.random(below: 60_000)), of: host)
    case 1 where fails: world.breakDisk(of: host)
    default:
      world.limitDisk(nil, of: host)
      world.repairDisk(of: host)
    }
    try world.sleep(for: .microseconds(Int64(1 + world.random(below: 5000))))
  }
}

/// Awaits a request in one of three styles.
///
/// - Returns: Its value, or nil if it has failed as a disk does.
private nonisolated(nonsending) func ask<T>(
  _ loop: EventLoop, _ request: Request<T>, _ ledger: Ledger, _ text: String
) async throws -> T? {
  do {
    switch loop.draw(3) {
    case 0: return try await request.value
    case 1: return try await request.promise().async()
    default:
      let noted = Request<T>(loop) { done in request.start(ledger.ask(text, done)) }
      return try await noted.value
    }
  } catch {
    guard let error = error as? UVError,
      [ENOSPC, EIO, EINTR].contains(-error.code.rawValue)
    else { throw error }
    return nil
  }
}

/// A file that is opened, written in parts and read. No descriptor is left, whatever fails.
private nonisolated(nonsending) func useFile(_ loop: EventLoop, _ ledger: Ledger, _ round: Int) async throws {
  let opening = loop.files.open("/tmp/parts", .readWrite, options: [.create, .truncate])
  guard let file = try await ask(loop, opening, ledger, "open") else { return }
  var model = [UInt8]()
  var isKnown = true
  for part in 0..<4 {
    let bytes = message(round + part, 1 + loop.draw(9000))
    let writing =
      loop.isDrawn(oneIn: 2)
      ? file.write(bytes, at: Int64(model.count))
      : file.write(Records.divide(bytes, on: loop), at: Int64(model.count))
    if try await ask(loop, writing, ledger, "write a part") == nil {
      isKnown = false
      break
    }
    model += Array(bytes)
  }
  var place = 0
  while place < model.count {
    guard let bytes = try await ask(loop, file.read(4000, at: Int64(place)), ledger, "read a part") else {
      break
    }
    // A part that has failed may have left its beginning.
    let rest = Array(model[place...])
    try expect(
      !bytes.isEmpty && Array(bytes.prefix(rest.count)) == Array(rest.prefix(bytes.count)),
      "other bytes at \(place)")
    place += bytes.count
  }
  if isKnown, let status = try await ask(loop, file.stat(), ledger, "stat") {
    try expect(Int(status.size) == model.count, "\(status.size) bytes in place of \(model.count)")
  }
  _ = try await ask(loop, file.sync(), ledger, "sync")
  _ = try await ask(loop, file.close(), ledger, "close")
}
