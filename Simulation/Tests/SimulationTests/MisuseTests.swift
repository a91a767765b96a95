import CSimulation
import Foundation
import Glibc
import Synchronization
import Testing
import UV
import UVSimulation

/// What can't work is reported.
@Suite struct MisuseTests {
  /// Builds a program in C of the kernel's sources, and returns what it prints.
  static func printed(_ arguments: String) throws -> String {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("uvsim-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let program = """
      #include "simulation.h"
      #include <stdio.h>
      int main(void) {
        const char *problem = sim_linkage_problem();
        fputs(problem ? problem : "none", stderr);
      }
      """
    try program.write(to: directory.appendingPathComponent("main.c"), atomically: true, encoding: .utf8)
    let sources = PreloadTests.package.appendingPathComponent("Sources/CSimulation").path
    let script = "S=\(sources); cc() { clang -w -I$S -I$S/include \"$@\"; }; \(arguments) && ./program"
    let (_, text) = try PreloadTests.run("/bin/bash", ["-c", "cd \(directory.path); \(script)"], [:])
    return text.split(separator: "\n").last.map(String.init) ?? ""
  }

  @Test("A program that has libc in itself is warned, and ends") func staticLibc() throws {
    #expect(
      try Self.printed("cc -static $S/*.c main.c -o program -lpthread -ldl")
        == "UVSimulation needs libc as a shared library: link the program without -static")
  }

  @Test("A program that finds libc's functions first is warned, and so is one without libuv") func order()
    throws
  {
    let library =
      "cc -shared -fPIC $S/*.c -o libsim.so -ldl && cc main.c -o program -Wl,--no-as-needed -Wl,-rpath,."
    #expect(
      try Self.printed("\(library) -lc -L. -lsim").hasPrefix(
        "libc's functions are found before the simulation's: link UVSimulation into the program"))
    #expect(try Self.printed("\(library) -L. -lsim -lc").hasPrefix("libuv isn't a shared library"))
  }

  @Test("A thread outside that uses a host's descriptor is reported") func outside() throws {
    let descriptor = Mutex<Int32>(-1)
    let isDone = Atomic(false)
    let thread = Thread {
      while descriptor.withLock({ $0 }) < 0 { usleep(100) }
      var byte: UInt8 = 0
      #expect(read(descriptor.withLock { $0 }, &byte, 1) == -1 && errno == EBADF)
      isDone.store(true, ordering: .releasing)
    }
    thread.start()
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        world.program("a") {
          let own = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
          descriptor.withLock { $0 = own }
          while !isDone.load(ordering: .acquiring) { usleep(1000) }
          usleep(1000)
          close(own)
        }
      }
    }
    #expect(
      error?.description.hasPrefix(
        "a thread outside of the world called read with the descriptor 1000 of a host")
        == true, "\(error!)")
  }

  @Test("A loop that runs outside of the world at the same time is named, and one before or after it isn't")
  func outsideLoop() throws {
    @Sendable func turn() throws {
      try EventLoop.run { loop in try await loop.sleep(for: .milliseconds(1)).value }
    }
    try turn()
    let runs = Atomic(false)
    let isDone = Atomic(false)
    let hasTurned = Atomic(false)
    let thread = Thread {
      while !runs.load(ordering: .acquiring) { usleep(100) }
      while !isDone.load(ordering: .acquiring) {
        #expect(throws: Never.self) { try turn() }
        hasTurned.store(true, ordering: .releasing)
      }
    }
    thread.start()
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        world.host("a") { loop in
          runs.store(true, ordering: .releasing)
          while !hasTurned.load(ordering: .acquiring) { try await loop.sleep(for: .milliseconds(1)).value }
          try await loop.sleep(for: .seconds(1)).value
        }
      }
    }
    isDone.store(true, ordering: .releasing)
    while !thread.isFinished { usleep(100) }
    #expect(
      error?.description.hasPrefix("a thread outside of the world runs a loop of libuv meanwhile") == true,
      "\(error!)")
    try turn()
    try Simulation(seed: 1) { world in
      world.host("a") { loop in try await loop.sleep(for: .seconds(1)).value }
    }
  }

  @Test("Outside of a world, a wrong descriptor is an error as ever") func wrongDescriptor() throws {
    var byte: UInt8 = 0
    #expect(read(1000, &byte, 1) == -1 && errno == EBADF)
    try Simulation(seed: 1) { world in
      world.host("a") { loop in try await loop.sleep(for: .seconds(1)).value }
    }
  }

  @Test("A missing call is reported with its name and its caller") func missing() throws {
    let asked = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        world.program("a") { _ = try? SystemInfo.interfaceAddresses() }
      }
    }
    #expect(
      asked?.description.contains(
        #/^getifaddrs isn't simulated; the host "a" called it from .*in libuv\.so/#) == true,
      "\(asked!)")
    let own = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in world.program("b") { #expect(popen("true", "r") == nil) } }
    }
    #expect(
      own?.description.hasPrefix(#"popen isn't simulated; the host "b" called it from "#) == true)
  }

  @Test("Each call that the documentation lists as an error is named by its error") func eachMissing() throws
  {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let page = try String(
      contentsOf: package.appendingPathComponent("Sources/UVSimulation/UVSimulation.docc/SimulatedCalls.md"),
      encoding: .utf8)
    let paragraph = try #require(page.split(separator: "### Errors")[1].split(separator: "\n\n").first)
    let names = paragraph.matches(of: /`(\w+)`/).map { String($0.1) }
    let source = try String(
      contentsOf: package.appendingPathComponent("Sources/CSimulation/missing.c"), encoding: .utf8)
    var known = source.matches(of: /(?m)^MISSING\([^,]+, [^,]+, (\w+)/).map { String($0.1) }
    var number = 0
    while let name = sim_call_absent(number).map({ String(cString: $0) }) {
      let call = number
      let error = #expect(throws: SimulationError.self, "\(name)") {
        try Simulation(seed: 1) { world in world.program("a") { _ = sim_call_absent(call) } }
      }
      #expect(
        error?.description.hasPrefix("\(name) isn't simulated; the host \"a\" called it") == true, "\(error!)"
      )
      known.append(name)
      number += 1
    }
    #expect(number > 200)
    #expect(names == known.sorted())
  }
}
