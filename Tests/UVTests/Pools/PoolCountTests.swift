import Testing
import UV

/// The numbers of a pool, added up.
@Suite struct PoolCountTests {
  @Test func `A sum has each number of both pools, and the events alone have no state`() {
    let numbers: [WritableKeyPath<PoolCounts, Int>] = [
      \.leased, \.idle, \.creating, \.waiting, \.leases, \.timeouts, \.refused, \.created, \.failed,
      \.expired, \.gone,
      \.discarded, \.dropped,
    ]
    // Every number of the type is in the list.
    #expect(Mirror(reflecting: PoolCounts()).children.count == numbers.count + 1)
    var (one, other, sum) = (PoolCounts(), PoolCounts(), PoolCounts())
    for (index, path) in numbers.enumerated() {
      one[keyPath: path] = 1 << index
      other[keyPath: path] = 3 << index
      sum[keyPath: path] = 4 << index
    }
    (one.waitTime, other.waitTime, sum.waitTime) = (.seconds(1), .seconds(2), .seconds(3))
    one += other
    #expect(one == sum)
    let events = one.events
    for (index, path) in numbers.enumerated() {
      #expect(events[keyPath: path] == (index < 4 ? 0 : 4 << index))
    }
    #expect(events.waitTime == .seconds(3))
    var nothing = PoolCounts()
    nothing += PoolCounts()
    #expect(nothing == PoolCounts())
  }
}
