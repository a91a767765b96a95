import Foundation
import Testing

/// `Design/api` lists the public declarations, so that a review shows each change of them.
@Suite struct PublicInterfaceTests {
  @Test func thePublicDeclarationsAreThoseThatAreListed() throws {
    let products = try Checkout.program("").path
    let (output, status) = try runProgram(
      Checkout.root.appendingPathComponent("Tests/Suites/api"), ["--products", products])
    #expect(status == 0, "\(output)")
  }
}
