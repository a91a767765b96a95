/// After how many requests a server is warm: the processor time of a request has stopped falling. A compiler at run time may begin only
/// after thousands of requests.
struct Settling: Sendable {
  /// How much processor time a server gets at least, in nanoseconds.
  let least: Double
  /// Requests until then.
  private(set) var operations = 0.0
  private(set) var isOver = false
  private var windows = 0
  private var window = (cpu: 0.0, operations: 0.0)
  private var last = Double.infinity

  init(least: Double) { self.least = least }

  /// Takes note of the processor time of some requests. The last window isn't counted, as it only shows that nothing changes any more.
  mutating func note(_ cpu: Double, _ operations: Double) {
    guard !isOver else { return }
    window = (window.cpu + cpu, window.operations + operations)
    guard window.cpu >= least / 2 else { return }
    windows += 1
    let cost = window.cpu / max(window.operations, 1)
    isOver = windows > 2 && cost > 0.95 * last || windows == 40
    if !isOver { self.operations += window.operations }
    (last, window) = (cost, (0, 0))
  }

  /// Asks a server until it is warm. Returns how many requests take `batch` nanoseconds of it, and after how many it was warm.
  static func requests(
    batch: Double, least: Double, _ ask: (Int) throws -> ServerUnderTest.Answer
  ) rethrows -> (operations: Int, warming: Int) {
    var calibration = Calibration(target: batch, operations: 50)
    var (isNear, settling) = (false, Settling(least: least))
    while !isNear || !settling.isOver {
      let answer = try ask(calibration.operations)
      settling.note(answer.cost, answer.operations)
      isNear = calibration.note(wall: answer.cost)
    }
    return (calibration.operations, Int(settling.operations))
  }
}

extension ServerUnderTest.Answer {
  /// The server's processor time, since a busy machine doesn't change that much. A server that runs elsewhere, as in a container, shows none,
  /// and one that waits for others shows little: for these it is a part of the time on the clock.
  fileprivate var cost: Double { max(cpu, time / 50) }
}
