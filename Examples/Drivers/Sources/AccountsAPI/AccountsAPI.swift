// A REST service on PostgreSQL: `AccountsAPI PORT SOCKET USER DATABASE`.
// The article "A service with PostgreSQL" of UVHTTP shows this program.
import Foundation
import PostgresNIO
import UVHTTP

struct Account: Codable { var id: Int, owner: String, balance: Int }
struct NewAccount: Codable { var owner: String, balance: Int }
struct Transfer: Codable { var from: Int, to: Int, amount: Int }

/// What a handler throws to answer with a status.
struct Refused: Error { let status: HTTPResponse.Status }

extension Database {
  func accounts(_ query: PostgresQuery) async throws -> [Account] {
    try await rows(query).map { row in
      let (id, owner, balance) = try row.decode((Int, String, Int).self)
      return Account(id: id, owner: owner, balance: balance)
    }
  }

  func perform(_ transfer: Transfer) async throws -> [Account] {
    try await transaction { database in
      // Both rows are locked in one order: no two transfers wait for each other.
      let found = try await database.accounts(
        """
        SELECT id, owner, balance FROM accounts WHERE id IN (\(transfer.from), \(transfer.to))
        ORDER BY id FOR UPDATE
        """)
      guard found.count == 2 else { throw Refused(status: .notFound) }
      return try await database.accounts(
        """
        UPDATE accounts SET balance = balance + CASE id WHEN \(transfer.to) THEN \(transfer.amount) ELSE -\(transfer.amount) END
        WHERE id IN (\(transfer.from), \(transfer.to)) RETURNING id, owner, balance
        """)
    }
  }
}

@main struct AccountsAPI {
  static func routes(_ pool: Pool<Database>) -> Router {
    var routes = Router()
    routes.on(.get, "/accounts") { exchange, values in
      let owner = values["owner"] ?? ""
      let found = try await pool.withResource(keepingAfter: isAnswer) {
        try await $0.accounts(
          "SELECT id, owner, balance FROM accounts WHERE owner = \(owner) ORDER BY id LIMIT 100")
      }
      try await exchange.respond(json: found)
    }
    routes.on(.get, "/accounts/:id") { exchange, values in
      let id = Int(values["id"] ?? "") ?? 0
      let found = try await pool.withResource(keepingAfter: isAnswer) {
        try await $0.accounts("SELECT id, owner, balance FROM accounts WHERE id = \(id)")
      }
      guard let account = found.first else { throw Refused(status: .notFound) }
      try await exchange.respond(json: account)
    }
    routes.on(.post, "/accounts") { exchange, _ in
      let new = try await exchange.json(NewAccount.self)
      let made = try await pool.withResource(keepingAfter: isAnswer) {
        try await $0.accounts(
          """
          INSERT INTO accounts (owner, balance) VALUES (\(new.owner), \(new.balance))
          RETURNING id, owner, balance
          """)
      }
      try await exchange.respond(json: made[0], .created)
    }
    routes.on(.post, "/transfers") { exchange, _ in
      let transfer = try await exchange.json(Transfer.self)
      guard transfer.amount > 0 else { throw Refused(status: .unprocessableContent) }
      let both = try await pool.withResource(keepingAfter: isAnswer) { try await $0.perform(transfer) }
      try await exchange.respond(json: both)
    }
    return routes
  }

  /// Whether the connection is as good as before: the server has answered, or a handler has refused.
  static func isAnswer(_ error: any Error) -> Bool {
    error is Refused || (error as? PSQLError)?.code == .server
  }

  static func status(of error: any Error) -> HTTPResponse.Status {
    switch error {
    case let refused as Refused: refused.status
    case is DecodingError: .badRequest
    case let error as UVError where error.code == .timedOut: .gatewayTimeout
    case let error as UVError where error.code == .busy: .serviceUnavailable
    // The check of the table: a balance would be below zero.
    case let error as PSQLError where error.serverInfo?[.sqlState] == "23514": .conflict
    default: .badGateway
    }
  }

  static func main() {
    let words = CommandLine.arguments
    UV.EventLoop.main { loop in
      let pool = Database.pool(loop, socket: words[2], user: words[3], database: words[4])
      _ = try await pool.withResource {
        try await $0.rows(
          """
          CREATE TABLE IF NOT EXISTS accounts (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            owner TEXT NOT NULL, balance BIGINT NOT NULL CHECK (balance >= 0))
          """)
      }
      let (router, server) = (routes(pool), try loop.http.listen(host: "127.0.0.1", port: Int(words[1])!))
      loop.shutdownGracefully(onSignals: [.terminate, .interrupt], within: .seconds(10)) { _ in }
      try await loop.standardOutput.write(Bytes("listening on \(try server.localAddress())\n")).value
      for try await exchange in server {
        loop.spawn {
          do {
            try await loop.withDeadline(.seconds(2)) { try await router.answer(exchange) }
          } catch {
            exchange.respond(HTTPResponse(status: status(of: error))) { _ in }
          }
        }
      }
      try await pool.close().value
      print("ended")
    }
  }
}
