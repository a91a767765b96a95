import Testing

@testable import BenchHarness

@Suite struct LatinSquareTests {
  @Test(arguments: 1...9)
  func everyRowIsOnceInEveryPlace(count: Int) {
    let rounds = (0..<count).map { LatinSquare.order(count: count, round: $0) }
    for order in rounds { #expect(order.sorted() == Array(0..<count)) }
    for place in 0..<count { #expect(Set(rounds.map { $0[place] }).count == count) }
  }

  @Test(arguments: 2...9)
  func everyRowFollowsEveryOtherEquallyOften(count: Int) {
    let rounds = count % 2 == 0 ? count : 2 * count
    var followers: [[Int]: Int] = [:]
    for round in 0..<rounds {
      let order = LatinSquare.order(count: count, round: round)
      for (row, next) in zip(order, order.dropFirst()) { followers[[row, next], default: 0] += 1 }
    }
    #expect(followers.count == count * (count - 1))
    #expect(Set(followers.values) == [rounds / count])
  }

  @Test func nothingToOrder() { #expect(LatinSquare.order(count: 0, round: 3) == []) }
}
