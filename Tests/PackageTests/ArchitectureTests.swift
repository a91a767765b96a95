import Foundation
import Testing

/// The arrows between modules: who may import whom.
@Suite struct ArchitectureTests {
  @Test(arguments: [
    ("Sources/UV", ["UVPromises", "UVFutures", "OpenCombine", "Combine", "Foundation", "ArgumentParser"]),
    ("Sources/UVPromises", ["UVFutures", "OpenCombine", "Combine", "CUV"]),
    ("Sources/UVFutures", ["UVPromises", "CUV"]),
    ("bench/Kit", ["UV", "CUV", "UVPromises", "UVFutures"]),
    ("Sources/Examples", ["CUV"]),
  ])
  func imports(folder: String, forbidden: [String]) throws {
    let files = Checkout.sources(folder)
    #expect(!files.isEmpty)
    // A host has a libuv loop without us.
    for file in files where file.lastPathComponent != "Host.swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        guard let module = Self.module(importedBy: line) else { continue }
        #expect(!forbidden.contains(module), "\(file.lastPathComponent) imports \(module)")
      }
    }
  }

  /// Pointers to objects, and C callbacks, have one home.
  @Test func unmanagedReferencesAreInUVAlone() throws {
    for folder in ["Sources/UVPromises", "Sources/UVFutures", "Sources/Examples"] {
      for file in Checkout.sources(folder) {
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("Unmanaged<"), "\(file.lastPathComponent)")
      }
    }
  }

  @Test func examplesNeedNoAnnotation() throws {
    for file in Checkout.sources("Sources/Examples") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for word in ["@unchecked", "nonisolated(unsafe)", "@preconcurrency"] {
        #expect(!text.contains(word), "\(file.lastPathComponent): \(word)")
      }
    }
  }

  private static func module(importedBy line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
      words[..<index].allSatisfy({
        $0.hasPrefix("@") || ["public", "internal", "package", "private"].contains($0)
      })
    else { return nil }
    return words[index + 1].split(separator: ".").first.map(String.init)
  }
}
