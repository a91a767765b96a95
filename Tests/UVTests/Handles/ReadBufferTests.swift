import CUV
import Testing
import UVTestSupport

@testable import UV

/// The memory that all streams of a loop read into: what a reader keeps is never written again.
@Suite struct ReadBufferTests {
  @Test(
    "Bytes that somebody holds stay as they were read, and those that nobody holds cost no memory",
    arguments: 1...4)
  func held(seed: UInt64) {
    let draws = Draws(seed)
    let memory = ReadBuffer()
    var held: [(bytes: Bytes, mark: UInt8)] = []
    for number in 0..<600 {
      var buffer = uv_buf_t()
      memory.reserve(&buffer)
      #expect(buffer.len >= 16_384)
      let count = min(draws.one(of: [1, 7, 8, 9, 100, 5000, 20_000, 60_000, .max]), buffer.len)
      let mark = UInt8(truncatingIfNeeded: number)
      for place in [0, count / 2, count - 1] { buffer.base[place] = CChar(bitPattern: mark) }
      // libuv may reserve and read nothing.
      if draws.draw(8) == 0 { continue }
      let bytes = memory.take(count)
      #expect(bytes.count == count && UnsafeRawPointer(bytes.start) == UnsafeRawPointer(buffer.base))
      held.append((bytes, mark))
      while held.count > draws.draw(30) { held.remove(at: draws.draw(held.count)) }
      #expect(
        held.allSatisfy { bytes, mark in
          [0, bytes.count / 2, bytes.count - 1].allSatisfy { bytes.start[$0] == mark }
        })
    }
  }

  @Test("A reader that lets go of each chunk has the same memory each time, which a full read enlarges once")
  func reused() {
    let memory = ReadBuffer()
    var places: Set<UnsafeMutablePointer<CChar>> = []
    func read(_ count: Int?) -> Int {
      var buffer = uv_buf_t()
      memory.reserve(&buffer)
      places.insert(buffer.base)
      _ = memory.take(count ?? buffer.len)
      return buffer.len
    }
    for _ in 0..<100 { #expect(read(1000) == 65_536) }
    #expect(places.count == 1)
    _ = read(nil)
    places = []
    for _ in 0..<100 { #expect(read(1000) == 65_536 + 16_384) }
    for _ in 0..<100 { #expect(read(nil) == 65_536 + 16_384) }
    #expect(places.count == 1)
  }

  @Test("Datagrams have room for the largest, and those of a batch for as many") func datagrams() {
    let memory = DatagramBuffer()
    var buffer = uv_buf_t()
    for _ in 0..<2 {
      memory.reserve(&buffer, isBatch: false)
      #expect(buffer.len == 65_536)
      memory.reserve(&buffer, isBatch: true)
      #expect(buffer.len == 20 * 65_536)
      buffer.base[buffer.len - 1] = 1
    }
  }
}
