import Testing

@testable import BenchHarness

@Suite struct CalibrationTests {
  /// A workload with a fixed cost per operation and one per run.
  @Test(arguments: [10.0, 1000, 2e6, 5e9])
  func findsTheNumberOfOperations(costPerOperation: Double) {
    var calibration = Calibration(target: 1e8)
    var runs = 0
    repeat {
      runs += 1
    } while !calibration.note(wall: Double(calibration.operations) * costPerOperation + 20_000)
    let wall = Double(calibration.operations) * costPerOperation
    #expect(calibration.operations == 1 || abs(wall - 1e8) < 0.06e8)
    #expect(runs <= 12)
  }

  @Test func aShortWindowIsTrustedForAFactorOfTenOnly() {
    var calibration = Calibration(target: 1e9, operations: 10)
    let near = calibration.note(wall: 1)
    #expect(!near)
    #expect(calibration.operations == 100)
  }

  @Test func numbersAreRoundedToTwoDigits() {
    #expect(Calibration.rounded(0.2) == 1)
    #expect(Calibration.rounded(7.4) == 7)
    #expect(Calibration.rounded(1234) == 1200)
    #expect(Calibration.rounded(99.9) == 100)
    #expect(Calibration.rounded(6_789_012) == 6_800_000)
  }

  @Test func warmWhenTwoWindowsAgree() {
    var warmUp = WarmUp(limit: 1e9)
    let warm = [1000, 900, 910].map { warmUp.note(wall: $0) }
    #expect(warm == [false, false, true])
    #expect(warmUp.settled)
  }

  @Test func theLimitEndsAWarmUpThatDoesNotSettle() {
    var warmUp = WarmUp(limit: 2500)
    let warm = [1000, 500, 1000].map { warmUp.note(wall: $0) }
    #expect(warm == [false, false, true])
    #expect(!warmUp.settled)
  }
}
