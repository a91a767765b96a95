import BenchKit
import Testing

@Suite struct ReportTests {
  @Test func columnsAreAsWideAsTheirWidestCell() {
    var table = TextTable([("name", .left), ("value", .right), ("unused", .left)])
    table.add(["a", "1", ""])
    table.add(["longer", "12345678", ""])
    #expect(table.render() == ["name       value", "a              1", "longer  12345678"])
  }

  @Test func figuresHaveThreeDigitsAndAUnit() {
    #expect(Figure.count(1_234_567) == "1.23M")
    #expect(Figure.count(999_600) == "1.00M")
    #expect(Figure.count(78.94) == "78.9")
    #expect(Figure.count(0) == "0.00")
    #expect(Figure.whole(59) == "59")
    #expect(Figure.duration(456) == "456 ns")
    #expect(Figure.duration(1234) == "1.23 µs")
    #expect(Figure.duration(-1234) == "-1.23 µs")
    #expect(Figure.bytes(12.34 * 1_048_576) == "12.3 MiB")
    #expect(Figure.ratio(1.239) == "1.24×")
    #expect(Figure.spread(0.0449) == "±4.5%")
    #expect(Figure.spread(0.45) == "±45%")
    #expect(Figure.fixed(-0.001, digits: 2) == "0.00")
    #expect(Figure.fixed(.infinity, digits: 2) == "–")
  }
}
