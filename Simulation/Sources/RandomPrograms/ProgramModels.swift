import SimulatedWorlds
import UV
import WorldSupport

/// A file, of which each write has a part of its own, so that writes and reads at once have one right answer.
final class ProgramFile {
  private let file: File
  private var size = 0
  private var lastNumber = 0
  private var known: [(offset: Int, bytes: Bytes)] = []

  init(_ file: File) { self.file = file }

  func perform(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide) async {
    let (file, world) = (file, side.world)
    switch step.action {
    case .fileWrite(_, let count, let parts):
      lastNumber += 1
      let (bytes, offset) = (message(lastNumber, count), size)
      size += count
      let length = count / parts + 1
      let pieces = stride(from: 0, to: count, by: length).map {
        Bytes(bytes[(bytes.startIndex + $0)...].prefix(length))
      }
      await side.ask(
        step, track,
        callback: {
          pieces.count == 1
            ? file.write(bytes, at: Int64(offset), $0) : file.write(pieces, at: Int64(offset), $0)
        },
        { pieces.count == 1 ? file.write(bytes, at: Int64(offset)) : file.write(pieces, at: Int64(offset)) }
      ) { [self] in if case .success? = $0 { known.append((offset, bytes)) } }
    case .fileRead:
      guard let (offset, bytes) = known.last else { return }
      await side.ask(
        step, track, callback: { file.read(bytes.count, at: Int64(offset), $0) },
        { file.read(bytes.count, at: Int64(offset)) }
      ) {
        if case .success(let read)? = $0, read.isEmpty || read != Bytes(bytes.prefix(read.count)) {
          world.complain("\(step): \(read.count) bytes, or others than were written")
        }
      }
    case .fileSync: await side.ask(step, track, callback: file.sync, file.sync)
    default:
      let least = known.map { $0.offset + $0.bytes.count }.max() ?? 0
      await side.ask(step, track, callback: file.stat, file.stat) { [self] in
        if case .success(let status)? = $0, !(least...size).contains(Int(status.size)) {
          world.complain("\(step): a size of \(status.size), not of \(least) to \(size)")
        }
      }
    }
  }

  nonisolated(nonsending) func check(_ loop: EventLoop) async throws {
    let all = try await loop.files.readFile(file.path).value
    for (offset, bytes) in known {
      try expect(
        Bytes(all.dropFirst(offset).prefix(bytes.count)) == bytes, "\(file.path): other bytes at \(offset)")
    }
    try await file.close().value
  }
}
