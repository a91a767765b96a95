import Testing

@testable import BenchHarness

@Suite struct SignedRankTests {
  // The differences of Darwin's maize, in eighths of an inch; checked against SciPy.
  private let darwin = [49.0, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

  @Test func theEstimateIsTheMedianOfTheMeansOfPairs() {
    #expect(SignedRank([3]).estimate == 3)
    #expect(SignedRank([1, 2, 10]).estimate == 3.75)
    #expect(SignedRank([]).estimate == nil)
    #expect(SignedRank(darwin).estimate == 25)
  }

  @Test func theIntervalIsExact() throws {
    // The critical value for 15 values is 25.
    #expect(try #require(SignedRank(darwin).interval(confidence: 0.95)) == 4...41.5)
    #expect(SignedRank([1, 2, 3, 4, 5, 6, 7, 8]).interval(confidence: 0.99) == 1...8)
    #expect(SignedRank([1, 2, 3, 4, 5, 6, 7]).interval(confidence: 0.99) == nil)
  }

  @Test func theSideOfABoundAgreesWithTheInterval() throws {
    var random = SplitMix64(seed: 11)
    for count in [8, 9, 25, 40] {
      let values = (0..<count).map { _ in Double.random(in: -1...1, using: &random) }
      let sample = SignedRank(values)
      let interval = try #require(sample.interval(confidence: 0.99))
      for bound in [-0.5, -0.1, 0, 0.1, 0.5, interval.lowerBound, interval.upperBound] {
        #expect(sample.isAbove(bound, confidence: 0.99) == (interval.lowerBound > bound))
        #expect(sample.isBelow(bound, confidence: 0.99) == (interval.upperBound < bound))
      }
    }
  }

  @Test func anIntervalHoldsTheCentreAsOftenAsItSays() {
    var random = SplitMix64(seed: 13)
    var held = Proportion()
    for _ in 0..<2000 {
      let sample = SignedRank((0..<25).map { _ in Double.random(in: -1...1, using: &random) })
      held.note(!sample.isAbove(0, confidence: 0.9) && !sample.isBelow(0, confidence: 0.9))
    }
    #expect(held.interval(confidence: 0.999).contains(0.9), "\(held)")
  }

  @Test(arguments: [(0, 300, 0.0, 0.0122), (1, 10, 0.0025, 0.4450), (10, 10, 0.6915, 1.0)])
  func clopperAndPearson(hits: Int, tries: Int, lower: Double, upper: Double) {
    let interval = Proportion(hits: hits, tries: tries).interval()
    #expect(abs(interval.lowerBound - lower) < 1e-4)
    #expect(abs(interval.upperBound - upper) < 1e-4)
  }
}
