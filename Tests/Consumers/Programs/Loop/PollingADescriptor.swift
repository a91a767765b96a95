// A descriptor of another library is watched for being readable and writable.
import Foundation
import UV

enum PollingADescriptor: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let pipe = Pipe()
      let watcher = try loop.poll(pipe.fileHandleForReading.fileDescriptor, for: [.readable, .disconnect])
      loop.sleep(for: .milliseconds(2)) { _ in pipe.fileHandleForWriting.write(Data("hello".utf8)) }
      for try await events in watcher {
        print(events.contains(.readable), watcher.events.contains(.disconnect))
        print(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self))
        break
      }
      try await watcher.close().value
      let writable = try loop.poll(pipe.fileHandleForWriting.fileDescriptor, for: .writable)
      print(try await writable.next().value == .writable)
      writable.close()
      let urgent: PollEvents = [.prioritized, .readable]
      print(urgent.contains(.prioritized))
    }
  }
}

// Prints:
// true true
// hello
// true
// true
