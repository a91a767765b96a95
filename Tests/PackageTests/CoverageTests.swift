import Foundation
import Testing

/// The page that says what of libuv is bound is what the header and the sources say, and nothing is missing
/// without a reason.
@Suite struct CoverageTests {
  @Test func thePageIsUpToDate() throws {
    let (output, status) = try runProgram(Checkout.root.appendingPathComponent("Tests/Suites/coverage"))
    #expect(status == 0, "\(output)")
  }
}
