import CalotypeServing
import CalotypeSettings
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the settings again on SIGHUP. Keys, presets and other live settings take effect together, or not at all.
struct ReloadService: Service {
  let server: ImageServer
  let inputs: SettingsInputs
  let logger: Logger

  func run() async throws {
    await withGracefulShutdownHandler {
      for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { reload() }
    } onGracefulShutdown: {
    }
  }

  private func reload() {
    do {
      let loaded = try SettingsLoader.load(inputs)
      let reload = try SettingsReload(running: server.rules.settings, loaded: loaded)
      try server.reload(reload.settings)
      logger.notice(
        "settings reloaded",
        metadata: [
          "changed": "\(reload.live.joined(separator: " "))",
          "needRestart": "\(reload.pending.joined(separator: " "))",
        ])
    } catch {
      logger.error("settings not reloaded; the old ones stay in force", metadata: ["reason": "\(error)"])
    }
  }
}
