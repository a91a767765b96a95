#if Everything
import Foundation
import Testing
import UVTestSupport

#if os(Linux)
/// A library in Swift that a program in C loads and unloads.
@Suite struct AddonTests {
  private static let addon = """
    import UV

    @_cdecl("addon_run")
    public func run() {
      EventLoop.runCallbacks { loop in loop.sleep(for: .milliseconds(1)) { _ in print("ran") } }
    }
    """

  private static let program = """
    #include <dlfcn.h>
    #include <pthread.h>
    #include <stdio.h>
    static void *work(void *path) {
      void *addon = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (!addon) { puts(dlerror()); return path; }
      void (*run)(void) = (void (*)(void))dlsym(addon, "addon_run");
      run();
      dlclose(addon);
      return NULL;  /* The thread's values are destroyed after this. */
    }
    int main(int count, char **arguments) {
      for (int round = 0; round < 3; round++) {
        pthread_t thread;
        void *failed;
        pthread_create(&thread, NULL, work, arguments[1]);
        pthread_join(thread, &failed);
        if (failed) return 1;
      }
      puts("end");
      return 0;
    }
    """

  @Test("A thread may be the only one that loads the library, and end after it has unloaded it")
  func aThreadUnloadsTheAddon() async throws {
    try await withTemporaryDirectory { directory in
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let products = URL(fileURLWithPath: tests).deletingLastPathComponent().path
      let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
      try Self.addon.write(toFile: "\(directory)/addon.swift", atomically: true, encoding: .utf8)
      try Self.program.write(toFile: "\(directory)/host.c", atomically: true, encoding: .utf8)
      let headers = [
        "\(products)/Modules", "\(root)/CModules/CUV",
        "\(root)/.build/checkouts/swift-system/Sources/CSystem/include",
      ]
      // By their sources: objects of files that were removed may be left.
      let sources =
        FileManager.default.enumerator(atPath: "\(root)/Sources/UV")?.allObjects as? [String] ?? []
      let objects = sources.filter { $0.hasSuffix(".swift") }
        .map { "\(products)/UV.build/\(URL(fileURLWithPath: $0).lastPathComponent).o" }.joined(
          separator: " ")
      try run(
        """
        swiftc -emit-library -module-name Addon -o \(directory)/addon.so \(directory)/addon.swift \
        \(headers.map { "-I \($0)" }.joined(separator: " ")) \(objects) \
        \(products)/CUV.build/*.o \(products)/SystemPackage.build/*.o \(products)/CSystem.build/*.o -luv
        """)
      try run("clang -o \(directory)/host \(directory)/host.c -lpthread -ldl")
      #expect(try run("\(directory)/host \(directory)/addon.so") == "ran\nran\nran\nend\n")
    }
  }

  @discardableResult
  private func run(_ command: String) throws -> String {
    let (output, status) = try runProgram(URL(fileURLWithPath: "/bin/sh"), ["-c", command])
    #expect(status == 0, "\(command)\n\(output)")
    return output
  }
}
#endif
#endif
