import Foundation
import Testing

@testable import BenchHarness

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Which functions the instructions of a row go to.
@Suite struct ProfileTests {
  /// What callgrind writes, with a call, names that are written out once, and places relative to the one
  /// before.
  private static let file = """
    # callgrind format
    version: 1
    positions: line
    events: Ir
    summary: 130

    ob=(1) /lib/one
    fl=(1) one.c
    fn=(1) main
    16 10
    +2 20
    cfn=(2) work
    calls=2 40
    18 60
    * 5

    fn=(2)
    40 35
    cob=(2) /lib/two
    cfi=(3) two.c
    cfn=(4) $s4main5helloyyF
    calls=1 0
    -1 25

    fn=(4)
    7 25

    fn=(2)
    41 30
    cob=(2)
    cfn=(5) 0x1a
    calls=1 0
    41 5

    ob=(2)
    fn=(5)
    0 5
    totals: 130
    """

  @Test func `What callgrind wrote is read: each function's own instructions, and each call's`() {
    let graph = CallGraph(callgrind: Self.file)
    #expect(graph.own == ["main": 35, "work": 65, "$s4main5helloyyF": 25, "unnamed functions of two": 5])
    #expect(graph.total == 130)
    #expect(
      graph.calls == [
        CallGraph.Call(caller: "main", callee: "work"): 60,
        CallGraph.Call(caller: "work", callee: "$s4main5helloyyF"): 25,
        CallGraph.Call(caller: "work", callee: "unnamed functions of two"): 5,
      ])
  }

  @Test func `An operation spends the difference of two runs, and what is done once isn't in it`() {
    var (once, twice) = (CallGraph(), CallGraph())
    once.own = ["setup": 1000, "work": 50, "gone": 5]
    twice.own = ["setup": 1000, "work": 100]
    once.calls = [CallGraph.Call(caller: "setup", callee: "work"): 50]
    twice.calls = [CallGraph.Call(caller: "setup", callee: "work"): 100]
    let slope = once.slope(to: twice, operations: 10)
    #expect(slope.own == ["setup": 0, "work": 5])
    #expect(slope.calls == [CallGraph.Call(caller: "setup", callee: "work"): 5])
  }

  @Test func `Functions that get one name become one`() {
    let graph = CallGraph(callgrind: Self.file).renamed { $0 == "main" ? "main" : "other" }
    #expect(graph.own == ["main": 35, "other": 95])
    #expect(graph.calls[CallGraph.Call(caller: "other", callee: "other")] == 30)
  }

  @Test(
    "A function stands on its callers, as wide as each of them calls it, and nothing is wider than what it stands on"
  )
  func frames() throws {
    var graph = CallGraph()
    graph.own = ["a": 10, "b": 20, "shared": 90]
    graph.calls = [
      CallGraph.Call(caller: "a", callee: "shared"): 60, CallGraph.Call(caller: "b", callee: "shared"): 30,
    ]
    let frames = FlameGraph(graph).frames
    #expect(
      frames.map { "\($0.depth) \($0.name) \(Int($0.start))+\(Int($0.width))" } == [
        "0 a 0+70", "1 shared 0+60", "0 b 70+50", "1 shared 70+30",
      ])
  }

  @Test func `Functions that call one another in a circle are drawn once each`() {
    var graph = CallGraph()
    graph.own = ["main": 1, "even": 50, "odd": 49]
    graph.calls = [
      CallGraph.Call(caller: "main", callee: "even"): 99, CallGraph.Call(caller: "even", callee: "odd"): 60,
      CallGraph.Call(caller: "odd", callee: "even"): 11, CallGraph.Call(caller: "odd", callee: "odd"): 5,
    ]
    #expect(FlameGraph(graph).frames.map(\.name) == ["main", "even", "odd"])
  }

  @Test("The flame graph is a picture whose names can't break it, and says of each function what it spent")
  func picture() throws {
    var graph = CallGraph()
    graph.own = ["f<A>(\"&\")": 200, "narrow": 0.01]
    var base = CallGraph()
    base.own = ["f<A>(\"&\")": 150]
    let svg = FlameGraph(graph, since: base).svg(title: "a & b", note: "<note>")
    #expect(svg.contains("<title>f&lt;A&gt;(&quot;&amp;&quot;): 200, 100.0%; itself +50.0</title>"))
    #expect(svg.contains("a &amp; b") && svg.contains("&lt;note&gt;") && !svg.contains("narrow"))
    let parser = XMLParser(data: Data(svg.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
  }

  @Test func `The table has the costliest functions, or those that changed most`() {
    var (now, base) = (CallGraph(), CallGraph())
    now.own = ["a": 60, "b": 30, "c": 10, "d": 0.5]
    base.own = ["a": 60, "b": 10, "gone": 5]
    #expect(
      ProfileTable(now, count: 2).rows.dropFirst() == [["60.0", "59.7%", "a"], ["30.0", "29.9%", "b"]])
    #expect(
      ProfileTable(now, since: base, count: 9).rows.dropFirst() == [
        ["+20.0", "10.0", "30.0", "b"], ["+10.0", "0.00", "10.0", "c"], ["−5.00", "5.00", "0.00", "gone"],
      ])
  }
}
