import UV

/// What `generate --listen` says of its visitors.
///
/// Strangers come as often as they like. A few of them are shown in each interval, and the others are counted,
/// so that nobody outside decides how much is written.
final class GeneratorLog {
  private static let interval = Duration.seconds(10)
  /// How many strangers are shown in an interval.
  private static let mostTold = 10

  private let loop: EventLoop
  private let timer: LoopTimer
  private var strangers = 0

  init(_ loop: EventLoop) throws(UVError) {
    self.loop = loop
    timer = try LoopTimer(loop)
    timer.keepsLoopRunning = false
  }

  func say(_ text: String) { _ = try? loop.standardOutput.write(Bytes("\(text)\n")) { _ in } }

  /// Says it of somebody who isn't let in, or only counts them.
  func sayOfStranger(_ text: String) {
    if strangers == 0 { try? timer.start(after: Self.interval) { [weak self] in self?.sayHowManyMore() } }
    strangers += 1
    if strangers <= Self.mostTold { say(text) }
  }

  /// Says how many strangers have only been counted, and begins to count anew.
  func sayHowManyMore() {
    if strangers > Self.mostTold { say("\(strangers - Self.mostTold) more were refused or have left") }
    strangers = 0
  }
}
