/// All that was measured of a row, by pair of processes.
struct GateTrace: Sendable {
  private(set) var cpu: [[Double]] = []
  private(set) var wall: [[Double]] = []
  private(set) var noise: [Double] = []
  private(set) var baseTimes: [Double] = []
  private(set) var headTimes: [Double] = []

  mutating func beginPair() {
    cpu.append([])
    wall.append([])
  }

  /// Adds a quad of processor time to the pair, whose batches had so many operations.
  mutating func add(_ quad: Quad, operations: Int) {
    cpu[cpu.count - 1].append(quad.shift ?? .nan)
    let each = Double(max(operations, 1))
    baseTimes += quad.base.map { $0 / each }
    headTimes += quad.head.map { $0 / each }
  }

  mutating func addWall(_ quad: Quad) { wall[wall.count - 1].append(quad.shift ?? .nan) }

  /// Adds a quad of processor time in which the head was a second copy of the base.
  mutating func addNoise(_ quad: Quad) { noise.append(quad.shift ?? .nan) }

  func isClear(_ rule: GateRule) -> Bool { rule.look(cpu[cpu.count - 1]) != .unclear }
}
