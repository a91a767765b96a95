import BenchKit
import CBenchSupport
import UV
import UVFutures
import UVPromises

/// `overload`: each request is a job for the thread pool, and is answered when that has ended; or at once, without work, if
/// too many are under way.
enum Overload {
  static let callback: ServerRow = { task in
    try EventLoop.runCallbacks { loop in
      let service = try TCPService<TCPListener>(task, on: loop)
      let jobs = Jobs(task.limit, service)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        var rest = Bytes()
        let written: Completion<Void> = { service.check($0, on: connection) }
        connection.start { result in
          switch result {
          case .success(let chunk?):
            for job in jobs.take(chunk, &rest) {
              guard jobs.begin() else {
                connection.write(jobs.refuse(job), written)
                continue
              }
              loop.work(job.work) { result in
                switch result {
                case .success(let value): connection.write(jobs.end(job, value), written)
                case .failure(let error): service.fail(error, on: connection)
                }
              }
            }
          case .success(nil): service.close(connection)
          case .failure(let error): service.fail(error, on: connection)
          }
        }
      }
      return service
    }.report()
  }

  static let promise: ServerRow = { task in
    try EventLoop.runCallbacks { loop in
      let service = try TCPService<TCPListener>(task, on: loop)
      let jobs = Jobs(task.limit, service)
      service.listener.start { result in
        guard let connection = service.accept(result) else { return }
        var rest = Bytes()
        func answer(_ job: Job) -> Promise<Void> {
          guard jobs.begin() else { return connection.write(jobs.refuse(job)).promise() }
          return loop.work(job.work).promise().then { connection.write(jobs.end(job, $0)).promise() }
        }
        connection.each { chunk -> Promise<Void> in
          for job in jobs.take(chunk, &rest) { answer(job).catch { service.fail($0, on: connection) } }
          return .value
        }.done { service.close(connection) }.catch { service.fail($0, on: connection) }
      }
      return service
    }.report()
  }

  static let future: ServerRow = { task in
    try EventLoop.runCallbacks { loop in
      let service = try TCPService<TCPListener>(task, on: loop)
      let jobs = Jobs(task.limit, service)
      service.listener.publisher()
        .sink(receiveCompletion: { service.end($0) }) { connection in
          service.admit(connection)
          var rest = Bytes()
          func answer(_ job: Job) -> AnyPublisher<Void, UVError> {
            guard jobs.begin() else {
              return connection.write(jobs.refuse(job)).publisher().eraseToAnyPublisher()
            }
            return loop.work(job.work).publisher()
              .flatMap { connection.write(jobs.end(job, $0)).publisher() }
              .eraseToAnyPublisher()
          }
          connection.publisher()
            .flatMap { jobs.take($0, &rest).publisher.setFailureType(to: UVError.self) }
            .flatMap(answer)
            .sink(receiveCompletion: { service.end($0, of: connection) }, receiveValue: {})
            .store(in: &service.subscriptions)
        }
        .store(in: &service.subscriptions)
      return service
    }.report()
  }

  static let async: ServerRow = { task in
    try EventLoop.run { loop in
      let service = try TCPService<TCPListener>(task, on: loop)
      let jobs = Jobs(task.limit, service)
      for try await connection in service.listener {
        service.admit(connection)
        loop.spawn {
          do throws(UVError) {
            var rest = Bytes()
            for try await chunk in connection {
              for job in jobs.take(chunk, &rest) {
                guard jobs.begin() else {
                  try await connection.write(jobs.refuse(job)).value
                  continue
                }
                loop.spawn {
                  do throws(UVError) {
                    let value = try await loop.work(job.work).value
                    try await connection.write(jobs.end(job, value)).value
                  } catch { service.fail(error, on: connection) }
                }
              }
            }
            service.close(connection)
          } catch { service.fail(error, on: connection) }
        }
        if service.isFull { break }
      }
      return service
    }.report()
  }
}

/// A request for a job.
private struct Job {
  static let size = Int(BENCH_JOB)

  /// The request, which comes back as the answer, but for its last eight bytes.
  let request: Bytes

  /// The work itself.
  var work: @Sendable () -> UInt64 {
    let value = request.littleEndian(UInt64.self, at: Self.size - 8)
    return { bench_job_do(value) }
  }

  /// What is written when it has ended with `value`.
  func answer(_ value: UInt64) -> Bytes {
    var answer = BytesBuilder(capacity: Self.size)
    answer.append(Bytes(request[..<(Self.size - 8)]))
    answer.append(littleEndian: value)
    return answer.takeBytes()
  }
}

/// The jobs of all connections.
private final class Jobs {
  private let limit: Int
  private let service: TCPService<TCPListener>
  private var underWay = 0

  /// At most `limit` of them are under way, or any number if that is 0.
  init(_ limit: Int, _ service: TCPService<TCPListener>) {
    self.limit = limit
    self.service = service
  }

  /// The requests that are complete. The beginning of another stays in `rest`.
  func take(_ chunk: Bytes, _ rest: inout Bytes) -> [Job] {
    service.bytesRead += chunk.count
    let bytes = rest.followed(by: chunk)
    let end = bytes.count / Job.size * Job.size
    rest = Bytes(bytes[end...])
    return stride(from: 0, to: end, by: Job.size).map { Job(request: Bytes(bytes[$0..<($0 + Job.size)])) }
  }

  /// Whether one more may begin; it has then begun.
  func begin() -> Bool {
    guard limit == 0 || underWay < limit else { return false }
    underWay += 1
    return true
  }

  /// The answer to a job that has ended.
  func end(_ job: Job, _ value: UInt64) -> Bytes {
    underWay -= 1
    service.bytesWritten += Job.size
    return job.answer(value)
  }

  /// The answer to a job that never began.
  func refuse(_ job: Job) -> Bytes {
    service.bytesWritten += Job.size
    return job.answer(UInt64(BENCH_JOB_BUSY))
  }
}
