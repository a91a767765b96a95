import Foundation
import Testing
import UV
import UVTestSupport

/// Trees that others change meanwhile, or that belong to others.
@Suite struct FileTreeOthersTests {
  @Test func `A tree is copied while somebody renames and removes names in it`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (files, tree) = (loop.files, "\(directory)/tree")
      for folder in 0..<20 {
        try await files.makedirs("\(tree)/\(folder)/inner").value
        for name in ["file", "inner/file"] {
          try await files.writeFile("\(tree)/\(folder)/\(name)", "x").value
        }
        try await files.symlink(to: "x", at: "\(tree)/\(folder)/link").value
      }
      let goesOn = Box(true)
      let renaming = loop.spawn { () async throws(UVError) in
        while goesOn.value == true {
          for folder in (0..<20).map({ "\(tree)/\($0)" }) {
            for name in ["\(folder)/file", "\(folder)/link", "\(folder)/inner", folder] {
              try await files.rename(name, to: "\(name)-moved").value
              try await files.rename("\(name)-moved", to: name).value
            }
          }
        }
      }
      for round in 0..<8 { try await files.copytree(tree, to: "\(directory)/\(round)").value }
      goesOn.value = false
      try await renaming.value
      // What nobody renames is copied.
      try await files.copytree(tree, to: "\(directory)/whole").value
      #expect(try await files.scandir("\(directory)/whole").value.count == 20)
    }
  }

  @Test(
    "The copy of another user's program doesn't run as the user that has made the copy",
    .enabled(if: getuid() == 0))
  func owners() async throws {
    try await withLoopAndDirectory { loop, directory in
      let files = loop.files
      for (user, group, permissions) in [
        (0, 0, 0o6755), (1000, 0, 0o2755), (0, 1000, 0o4755), (1000, 1000, 0o755),
      ] {
        for path in ["tree", "tree/folder"] { try await files.makedirs("\(directory)/\(path)").value }
        try await files.writeFile("\(directory)/tree/program", "x").value
        for name in ["folder", "program"].map({ "\(directory)/tree/\($0)" }) {
          try await files.chown(name, owner: UInt32(user), group: UInt32(group)).value
          try await files.chmod(name, FilePermissions(rawValue: 0o6755)).value
        }
        try await files.copytree("\(directory)/tree", to: "\(directory)/copy").value
        for name in ["folder", "program"] {
          let copy = try await files.stat("\(directory)/copy/\(name)").value
          #expect(Int(copy.permissions.rawValue) == permissions, "\(name) of \(user):\(group)")
        }
        for path in ["tree", "copy"] { try await files.rmtree("\(directory)/\(path)").value }
      }
    }
  }

  @Test func `makedirs says which folder it couldn't make, and a link to nothing is no folder`() async throws
  {
    try await withLoopAndDirectory { loop, directory in
      let files = loop.files
      let long = String(repeating: "x", count: 300)
      for (path, failed, code) in [
        ("a/\(long)/b/c", "a/\(long)", .nameTooLong), ("broken", "broken", .notDirectory),
        ("broken/a", "broken", .notDirectory),
      ] as [(String, String, UVError.Code)] {
        try? await files.symlink(to: "nowhere", at: "\(directory)/broken").value
        do throws(UVError) {
          try await files.makedirs("\(directory)/\(path)").value
          Issue.record("\(path) was made")
        } catch {
          #expect((error.code, error.subject) == (code, "\(directory)/\(failed)"))
        }
      }
    }
  }

  @Test func `Two removals of a tree, and two copies to one place, don't disturb each other`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let (files, tree) = (loop.files, "\(directory)/tree")
      for number in 0..<200 {
        if number % 20 == 0 { try await files.makedirs("\(tree)/\(number / 20)").value }
        try await files.writeFile("\(tree)/\(number / 20)/\(number)", "x").value
      }
      for _ in 0..<3 {
        let copies = (0..<2).map { _ in
          loop.spawn { () async throws(UVError) in
            try await files.copytree(tree, to: "\(directory)/copy").value
          }
        }
        for copy in copies { try await copy.value }
        let progress = FileTreeProgress()
        let removals = (0..<2).map { _ in
          loop.spawn { () async -> UVError.Code? in
            do throws(UVError) {
              try await files.rmtree("\(directory)/copy", progress: progress).value
              return nil
            } catch { return error.code }
          }
        }
        for removal in removals {
          let code = await removal.value
          #expect(code == nil || code == .noSuchFile)
        }
        #expect((progress.files, progress.folders) == (200, 11))
      }
    }
  }
}
