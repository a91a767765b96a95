import Testing

@testable import BenchHarness

@Suite struct StatisticsTests {
  @Test func medianOfOddAndEven() {
    #expect(Statistics.median([3, 1, 2]) == 2)
    #expect(Statistics.median([4, 1, 3, 2]) == 2.5)
    #expect(Statistics.median([7]) == 7)
  }

  @Test func quantilesInterpolate() {
    let values = [10.0, 20, 30, 40, 50]
    #expect(Statistics.quantile(values, 0) == 10)
    #expect(Statistics.quantile(values, 0.25) == 20)
    #expect(Statistics.quantile(values, 0.375) == 25)
    #expect(Statistics.quantile(values, 1) == 50)
  }

  @Test func spreadIsTheWiderSideOfTheBox() {
    let spread = Spread([90, 100, 100, 100, 130])
    #expect(spread.median == 100)
    #expect(spread.relative == 0)
    #expect(Spread([80, 90, 100, 102, 104]).relative == 0.1)
    #expect(Spread([0, 0]).relative == 0)
  }
}
