// Copies its standard input to its standard output, whatever they are:
// `Copy [callback|promise|publisher|async]`.
import UV
import UVFutures
import UVPromises

let style = CommandLine.arguments.dropFirst().first ?? "async"

/// Says on the standard error what went wrong.
@Sendable func report(_ error: any Error, on loop: EventLoop) {
  _ = try? loop.standardError.write(Bytes("Copy: \(error)\n")) { _ in }
}

switch style {
case "callback":
  try EventLoop.runCallbacks { loop in
    let (input, output) = (try loop.standardInput, try loop.standardOutput)
    func copy() {
      input.next { result in
        switch result {
        case .success(let chunk?):
          output.write(chunk) { result in
            if case .failure(let error) = result { report(error, on: loop) } else { copy() }
          }
        case .success(nil): break
        case .failure(let error): report(error, on: loop)
        }
      }
    }
    copy()
  }

case "promise":
  try EventLoop.runCallbacks { loop in
    let output = try loop.standardOutput
    try loop.standardInput.each { output.write($0).promise() }.catch { report($0, on: loop) }
  }

case "publisher":
  try EventLoop.runCallbacks { loop in
    let output = try loop.standardOutput
    return try loop.standardInput.publisher()
      .flatMap(maxPublishers: .max(1)) { output.write($0).publisher() }
      .sink {
        if case .failure(let error) = $0 { report(error, on: loop) }
      } receiveValue: { _ in
      }
  }

default:
  EventLoop.run { loop in
    do {
      let output = try loop.standardOutput
      for try await chunk in try loop.standardInput { try await output.write(chunk).value }
    } catch {
      report(error, on: loop)
    }
  }
}
