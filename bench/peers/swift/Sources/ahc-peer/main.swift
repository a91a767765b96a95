// AsyncHTTPClient, by the contract in ../../README.md: ahc-peer MODE http-client [key=value ...]
//
// MODE is `future`, or `async` (tasks on Swift's pool).
import AsyncHTTPClient
import NIOCore
import NIOPosix
import PeerContract

let contract = Contract(wordsBefore: 1)
NIOSingletons.groupLoopCountSuggestion = 1
let loop = MultiThreadedEventLoopGroup.singleton.next()
let client: HTTPClient = {
  var configuration = HTTPClient.Configuration()
  configuration.httpVersion = .http1Only
  configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = contract.inFlight
  return HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
}()
let url = "http://127.0.0.1:\(contract.port)/hello"

struct WrongAnswer: Error {}

/// Answers with futures, whose handlers run on the loop.
final class Futures: @unchecked Sendable {
  private let count: Int
  private var (issued, ended) = (0, 0)
  private let done = loop.makePromise(of: Int.self)

  init(_ count: Int) { self.count = count }

  func run() throws -> Int {
    loop.execute { for _ in 0..<contract.inFlight { self.next() } }
    return try done.futureResult.wait()
  }

  private func next() {
    if issued == count { return }
    issued += 1
    client.get(url: url).hop(to: loop).whenComplete { result in
      switch result {
      case .success(let answer) where answer.status == .ok && answer.body?.readableBytes == contract.size:
        self.ended += 1
        if self.ended == self.count { self.done.succeed(self.ended) }
        self.next()
      case .success: self.done.fail(WrongAnswer())
      case .failure(let error): self.done.fail(error)
      }
    }
  }
}

/// Asks in as many tasks as there are connections.
func ask(_ count: Int) async throws -> Int {
  let request = HTTPClientRequest(url: url)
  try await withThrowingDiscardingTaskGroup { group in
    for index in 0..<contract.inFlight {
      group.addTask {
        for _ in stride(from: index, to: count, by: contract.inFlight) {
          let answer = try await client.execute(request, timeout: .seconds(60))
          let body = try await answer.body.collect(upTo: 1 << 20)
          guard answer.status == .ok, body.readableBytes == contract.size else { throw WrongAnswer() }
        }
      }
    }
  }
  return count
}

Contract.answerLines { count in
  if contract.words.first == "future" { return try! Futures(count).run() }
  let done = loop.makePromise(of: Int.self)
  done.completeWithTask { try await ask(count) }
  return try! done.futureResult.wait()
}
