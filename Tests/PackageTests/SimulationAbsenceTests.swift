import Foundation
import Testing

/// The simulation is a package of its own: who uses `UV` gets nothing of it. What a program of `UV` alone
/// fetches and compiles is in `FetchTests`.
@Suite struct SimulationAbsenceTests {
  @Test func `The root's manifest names no part of the simulation`() throws {
    // The tests' own build folder is locked while `swift test` runs.
    let scratch = try Checkout.program("SimulationAbsenceTests.scratch").path
    let found = try runProgram(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["swift", "package", "--package-path", Checkout.root.path, "--scratch-path", scratch, "dump-package"])
    #expect(found.status == 0, "\(found.output)")
    #expect(found.output.contains("\"UVNIO\""))
    #expect(!found.output.lowercased().contains("simulation"))
  }

  @Test func `What is built of the library defines and asks for nothing of the simulation's kernel`() throws {
    let products = try Checkout.program("")
    for module in [
      "UV", "CUV", "UVPromises", "UVFutures", "UVRxStream", "UVTLS", "UVDNS", "UVHTTP", "UVHTTPFiles",
      "UVHTTPCompression", "UVNIO", "UVService",
    ] {
      let folder = products.appendingPathComponent("\(module).build")
      let objects = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        $0.hasSuffix(".o")
      }
      #expect(!objects.isEmpty, "\(module)")
      let found = try runProgram(
        URL(fileURLWithPath: "/usr/bin/env"),
        ["nm"] + objects.map { folder.appendingPathComponent($0).path })
      #expect(found.status == 0, "\(found.output.suffix(1000))")
      for line in found.output.split(separator: "\n") {
        let name = line.split(separator: " ").last ?? ""
        #expect(!name.hasPrefix("sim_") && !name.contains("UVSimulation"), "\(module): \(name)")
        // The kernel answers by defining libc's functions: the library defines none.
        let isDefined = line.firstMatch(of: #/ [TW] /#) != nil
        #expect(
          !isDefined || !["read", "write", "epoll_wait", "clock_gettime"].contains(name), "\(module): \(name)"
        )
      }
    }
  }
}
