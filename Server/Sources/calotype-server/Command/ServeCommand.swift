import Calotype
import CalotypeHummingbird
import CalotypeLogs
import CalotypeObservability
import CalotypeServing
import CalotypeSettings
import FoundationEssentials
import Glibc
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
    let log = ServerLog(loaded.settings.logging)
    for problem in loaded.problems { log.write(problem) }
    var status: Int32 = 0
    do {
      // Workers open libraries when they need them; the server is to be ready before that.
      try ServerParts.check(loaded.settings, opensLibraries: false)
      try await serve(loaded.settings, inputs, log)
    } catch {
      log.logger.critical("the server cannot run", metadata: ["reason": "\(error)"])
      status = 1
    }
    log.close()
    return status
  }

  private static func serve(_ settings: Settings, _ inputs: SettingsInputs, _ log: ServerLog) async throws {
    ProcessAllocator.limitArenas()
    // A reader of logs that leaves must not end the server.
    signal(SIGPIPE, SIG_IGN)
    let logger = log.logger
    let parts = try await ServerParts(settings)
    if let reason = parts.tiers.refusal {
      logger.warning(
        "the bucket refuses this server: nothing is shared with other nodes",
        metadata: ["bucket": "\(settings.cache.bucket)", "reason": "\(reason)"])
    }
    let server = try ImageServer(
      settings, parts: parts, droppedLogLines: { log.droppedCount }, observer: { log.write($0) })
    let application = application(server, settings.server, logger)
    let metrics: [ServiceGroupConfiguration.ServiceConfiguration] =
      settings.metrics.prometheus.map { [.init(service: self.metrics(server, at: $0, logger))] } ?? []
    let drain = DrainService(server: server, delay: settings.server.stopDelay)
    var configuration = ServiceGroupConfiguration(
      services: metrics + [
        .init(service: FlushService(server: server), successTerminationBehavior: .ignore),
        .init(service: parts.tiers, successTerminationBehavior: .ignore),
        .init(service: parts.service),
        .init(service: application),
        .init(
          service: ReloadService(server: server, inputs: inputs, logger: logger),
          successTerminationBehavior: .ignore),
        .init(service: drain, successTerminationBehavior: .ignore),
      ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // Work ends by its own deadlines before; what does not is cancelled, so that the process ends in any case.
    configuration.maximumGracefulShutdownDuration =
      settings.server.stopDelay + settings.server.stopTimeout + .seconds(5)
    // A second signal counts until all of them have ended.
    defer { withExtendedLifetime(drain) {} }
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
        let address = channel.localAddress?.shown ?? "an unknown address"
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
