import Foundation
import Testing
import UVTestSupport

/// It is given programs, and says what it finds.
@Suite struct WarningTests {
  @Test(
    "An unfinished chain of promises is warned of, one of guarantees is not",
    .enabled(if: Compiler.isThere))
  func anUnfinishedChainOfPromisesIsWarnedOfOneOfGuaranteesIs() throws {
    let problems = try Compiler.problems(
      """
      import UVPromises
      func program(p: Promise<Int>, g: Guarantee<Int>) {
        p.then { Promise.value($0) }
        p.map { $0 }
        p.done { _ in }
        p.get { _ in }
        p.tap { _ in }
        p.ensure {}
        p.recover { _ in Promise.value(1) }
        p.done { _ in }.catch { _ in }
        p.done { _ in }.catch { _ in }.finally {}
        p.done { _ in }.cauterize()
        g.done { _ in }
        g.then { Guarantee.value($0) }
        func passOn() -> Promise<Int> { p.map { $0 } }
      }
      """)
    #expect(problems.map(\.line) == [3, 4, 5, 6, 7, 8, 9])
    #expect(problems.allSatisfy { $0.message.contains("unused") })
  }

  @Test(.enabled(if: Compiler.isThere)) func `What must not compile`() throws {
    let problems = try Compiler.problems(
      """
      import UVPromises
      func program(p: Promise<Int>, g: Guarantee<Int>) {
        _ = p.then { value in print(value) }
        _ = g.catch { _ in }
      }
      """)
    #expect(Set(problems.map(\.line)) == [3, 4])
  }

  @Test(.enabled(if: Compiler.isThere)) func `a promise stays on its thread`() throws {
    let problems = try Compiler.problems(
      """
      import Dispatch
      import UVPromises
      func program(p: Promise<Int>) {
        DispatchQueue.global().async {
          p.cauterize()
        }
      }
      """)
    #expect(problems.count == 1 && problems.first?.line == 5)
  }
}

/// The compiler, with the modules that this test was built with.
enum Compiler {
  struct Problem {
    var line: Int
    var message: String
  }

  private static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let library = root.appendingPathComponent("CModules/CUV")
  private static let system = products.deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("checkouts/swift-system/Sources/CSystem/include/module.modulemap")

  /// Whether the modules are where a build by `swift build` leaves them.
  static var isThere: Bool {
    [products.appendingPathComponent("Modules/UVPromises.swiftmodule"), library, system]
      .allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// The warnings and errors about a program, in the order of its lines.
  static func problems(_ program: String, _ options: [String] = []) throws -> [Problem] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).swift")
    try program.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let (output, _) = try runProgram(
      URL(fileURLWithPath: "/usr/bin/env"),
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-I", products.appendingPathComponent("Modules").path,
        "-I", library.path, "-Xcc", "-fmodule-map-file=\(system.path)",
        "-Xcc", "-fmodule-map-file=\(products.path)/COpenCombineHelpers.build/module.modulemap",
      ] + options + [file.path])
    return output.split(separator: "\n").compactMap { line in
      guard line.hasPrefix(file.path) else { return nil }
      let parts = line.dropFirst(file.path.count + 1).split(separator: ":", maxSplits: 2)
      guard parts.count == 3, let number = Int(parts[0]) else { return nil }
      return Problem(line: number, message: String(parts[2]))
    }.sorted { $0.line < $1.line }
  }
}
