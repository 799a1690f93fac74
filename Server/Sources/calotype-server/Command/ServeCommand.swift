import Calotype
import CalotypeHummingbird
import CalotypeObservability
import CalotypeServing
import CalotypeSettings
import FoundationEssentials
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// `calotype-server`: starts the server, and returns when it has ended.
enum ServeCommand {
  /// Returns the status of the process.
  static func run(_ inputs: SettingsInputs) async -> Int32 {
    let loaded: LoadedSettings
    do {
      loaded = try SettingsLoader.load(inputs)
    } catch {
      for problem in error.problems { ServerCommand.complain("\(problem.severity): \(problem)") }
      return 1
    }
    for problem in loaded.problems { ServerCommand.complain("\(problem.severity): \(problem)") }
    do {
      try ServerParts.checkSandbox(loaded.settings)
      try await serve(loaded.settings, inputs)
      return 0
    } catch {
      ServerCommand.complain("error: \(error)")
      return 1
    }
  }

  private static func serve(_ settings: Settings, _ inputs: SettingsInputs) async throws {
    ProcessAllocator.limitArenas()
    let level = Logger.Level(settings.logging.level)
    let logger = Logger(label: "calotype-server") { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
    let parts = try await ServerParts(settings)
    let server = try ImageServer(settings, parts: parts)
    let application = application(server, settings.server, logger)
    let metrics: [ServiceGroupConfiguration.ServiceConfiguration] =
      settings.metrics.prometheus.map { [.init(service: self.metrics(server, at: $0, logger))] } ?? []
    var configuration = ServiceGroupConfiguration(
      services: metrics + [
        .init(service: FlushService(server: server), successTerminationBehavior: .ignore),
        .init(service: parts.service),
        .init(service: application),
        .init(
          service: ReloadService(server: server, inputs: inputs, logger: logger),
          successTerminationBehavior: .ignore),
        .init(
          service: DrainService(server: server, delay: settings.server.stopDelay),
          successTerminationBehavior: .ignore),
      ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // Work ends by its own deadlines before; what does not is cancelled, so that the process ends in any case.
    configuration.maximumGracefulShutdownDuration =
      settings.server.stopDelay + settings.server.stopTimeout + .seconds(5)
    try await ServiceGroup(configuration: configuration).run()
  }

  private static func application(
    _ server: ImageServer, _ settings: Settings.Server, _ logger: Logger
  ) -> some Service {
    // One limit for requests that arrive and for the idle time before them: the shorter one.
    let keepsAlive = settings.keepAlive > .zero
    let patience = keepsAlive ? min(settings.readTimeout, settings.keepAlive) : settings.readTimeout
    let (read, write) = (TimeAmount(patience), TimeAmount(settings.writeTimeout))
    let clients = settings.maxClients
    return Application(
      responder: ImageResponder(
        server: server, keepsAlive: keepsAlive, patience: settings.writeTimeout),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ClientHandler(limit: write)], idleTimeout: read)),
      configuration: .init(
        address: address(of: settings.bind), backlog: 1024,
        availableConnectionsDelegate: clients > 0 ? .maximum(clients, logger: logger) : nil),
      onServerRunning: { channel in
        let address = channel.localAddress.map { "\($0)" } ?? "an unknown address"
        FileHandleOutput.standardOutput.write("calotype-server listens at \(address)\n")
      },
      logger: logger)
  }

  /// The port that Prometheus reads.
  private static func metrics(
    _ server: ImageServer, at bind: CalotypeSettings.BindAddress, _ logger: Logger
  ) -> some Service {
    Application(
      responder: CallbackResponder<BasicRequestContext> { _, _ in
        Response(server.metricsResponse, patience: .seconds(10))
      },
      configuration: .init(address: address(of: bind)), logger: logger)
  }

  private static func address(of bind: CalotypeSettings.BindAddress?) -> Hummingbird.BindAddress {
    switch bind {
    case .port(let host, let port): .hostname(host.isEmpty ? "0.0.0.0" : host, port: Int(port))
    case .socket(let path): .unixDomainSocket(path: path)
    case nil: .hostname("0.0.0.0", port: 8080)
    }
  }
}

extension Logger.Level {
  fileprivate init(_ level: Settings.Logging.Level) {
    self =
      switch level {
      case .debug: .debug
      case .info: .info
      case .warn: .warning
      case .error: .error
      case .fatal: .critical
      }
  }
}
