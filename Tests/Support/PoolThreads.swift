import Foundation

/// How many threads libuv's pool has.
public let poolThreads = ProcessInfo.processInfo.environment["UV_THREADPOOL_SIZE"].flatMap { Int($0) } ?? 4
