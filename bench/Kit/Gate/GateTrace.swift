/// All quads of a row, by pair of processes.
public struct GateTrace: Sendable {
  /// One quad by both clocks.
  public struct Measured: Sendable {
    /// Processor time.
    public var cpu: Quad
    /// Time by the clock on the wall.
    public var wall: Quad
    /// How many operations a batch had.
    public var operations: Int

    /// A quad.
    public init(cpu: Quad, wall: Quad, operations: Int) {
      self.cpu = cpu
      self.wall = wall
      self.operations = operations
    }
  }

  private(set) var cpu: [[Double]] = []
  private(set) var wall: [[Double]] = []
  private(set) var noise: [[Double]] = []
  private(set) var baseTimes: [Double] = []
  private(set) var headTimes: [Double] = []

  /// A trace without quads.
  public init() {}

  /// What follows belongs to the next pair.
  public mutating func beginPair() {
    cpu.append([])
    wall.append([])
    noise.append([])
  }

  /// Adds a quad to the pair.
  public mutating func add(_ measured: Measured) {
    cpu[cpu.count - 1].append(measured.cpu.shift ?? .nan)
    wall[wall.count - 1].append(measured.wall.shift ?? .nan)
    let each = Double(max(measured.operations, 1))
    baseTimes += measured.cpu.base.map { $0 / each }
    headTimes += measured.cpu.head.map { $0 / each }
  }

  /// Adds a quad in which the head was a second copy of the base.
  public mutating func addNoise(_ measured: Measured) {
    noise[noise.count - 1].append(measured.cpu.shift ?? .nan)
  }

  /// Whether the present pair needs no more quads.
  func isClear(clock: DecidingClock, rule: GateRule) -> Bool {
    let said = rule.look(cpu[cpu.count - 1])
    guard said != .unclear, clock == .both else { return said != .unclear }
    return rule.look(wall[wall.count - 1]) != .unclear
  }
}
