// Hummingbird's tests give most of their applications no group, and they then have NIOPosix's. This takes the place of Hummingbird's type,
// since names of this module come before imported ones, and gives them libuv's.
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

struct Application<Responder: HTTPResponder>: ApplicationProtocol
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
  private var application: Hummingbird.Application<Responder>

  init(
    responder: Responder, server: HTTPServerBuilder = .http1(),
    configuration: ApplicationConfiguration = ApplicationConfiguration(), services: [any Service] = [],
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
    eventLoopGroupProvider: EventLoopGroupProvider = .shared(MultiThreadedEventLoopGroup.singleton),
    logger: Logger? = nil
  ) {
    application = Hummingbird.Application(
      responder: responder, server: server, configuration: configuration, services: services,
      onServerRunning: onServerRunning, eventLoopGroupProvider: eventLoopGroupProvider, logger: logger)
  }

  init<Builder: HTTPResponderBuilder>(
    router: Builder, server: HTTPServerBuilder = .http1(),
    configuration: ApplicationConfiguration = ApplicationConfiguration(), services: [any Service] = [],
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
    eventLoopGroupProvider: EventLoopGroupProvider = .shared(MultiThreadedEventLoopGroup.singleton),
    logger: Logger? = nil
  ) where Responder == Builder.Responder {
    self.init(
      responder: router.buildResponder(), server: server, configuration: configuration, services: services,
      onServerRunning: onServerRunning, eventLoopGroupProvider: eventLoopGroupProvider, logger: logger)
  }

  var responder: Responder { application.responder }
  var server: HTTPServerBuilder { application.server }
  var eventLoopGroup: any EventLoopGroup { application.eventLoopGroup }
  var configuration: ApplicationConfiguration { application.configuration }
  var logger: Logger { application.logger }
  var services: [any Service] { application.services }
  var processesRunBeforeServerStart: [@Sendable () async throws -> Void] {
    application.processesRunBeforeServerStart
  }

  func onServerRunning(_ channel: any Channel) async { await application.onServerRunning(channel) }

  mutating func addServices(_ services: any Service...) { application.addServices(services) }

  mutating func beforeServerStarts(perform process: @escaping @Sendable () async throws -> Void) {
    application.beforeServerStarts(perform: process)
  }
}
