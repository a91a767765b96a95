import Testing
import UV
import UVTestSupport

/// The room of a builder: what it is asked for, it has, and it moves no more than it must.
@Suite struct BuilderRoomTests {
  @Test(arguments: [0, 1, 31, 32, 33, 100, 5000])
  func `A builder has the room that it was made for, and moves for nothing that fits`(capacity: Int) {
    var made = BytesBuilder(capacity: capacity)
    var reserved = BytesBuilder()
    reserved.reserveCapacity(capacity)
    #expect(made.capacity >= capacity && reserved.capacity >= capacity)
    #expect(made.isEmpty && reserved.isEmpty)
    let (room, other) = (made.capacity, reserved.capacity)
    for number in 0..<capacity {
      made.append(UInt8(truncatingIfNeeded: number))
      reserved.append(UInt8(truncatingIfNeeded: number))
    }
    #expect(made.capacity == room && reserved.capacity == other)
    let expected = Bytes((0..<capacity).map { UInt8(truncatingIfNeeded: $0) })
    #expect(made.takeBytes() == expected && reserved.takeBytes() == expected)
  }

  @Test(.enabled(if: Hooks.canCountAllocations)) func `What fits allocates nothing`() async throws {
    for isReserved in [false, true] {
      var builders: [BytesBuilder] = []
      builders.reserveCapacity(20)
      for _ in 0..<20 {
        var builder = isReserved ? BytesBuilder() : BytesBuilder(capacity: 4000)
        if isReserved { builder.reserveCapacity(4000) }
        builders.append(builder)
      }
      var next = 0
      let least = try await Hooks.leastAllocations {
        for number in 0..<4000 { builders[next].append(UInt8(truncatingIfNeeded: number)) }
        next += 1
      }
      #expect(least == 0)
    }
  }
}
