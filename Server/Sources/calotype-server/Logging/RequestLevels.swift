import CalotypeServing
import CalotypeSettings
import HTTPTypes
import Logging

/// Decides on the levels of requests.
struct RequestLevels: Sendable {
  /// The codes of failed downloads, and of broken connections.
  static let downloads: Set<String> = [
    "sourceUnreachable", "sourceStatus", "sourceTimeout", "sourceIncomplete",
  ]
  static let connections: Set<String> = ["cancelled"]

  let settings: Settings.Logging

  init(_ settings: Settings.Logging) { self.settings = settings }

  /// `debug` for probes, `info` for responses, `warning` for requests that are at fault, and `error` for the server's own
  /// faults, and for those that settings say.
  func level(of record: RequestRecord) -> Logger.Level {
    guard let code = record.errorCode else {
      if record.status.code >= 500 { return .warning }
      return record.isProbe ? .debug : .info
    }
    if Self.downloads.contains(code) { return settings.reportsDownloadErrors ? .error : .info }
    if Self.connections.contains(code) { return settings.reportsIOErrors ? .error : .info }
    return record.status.code >= 500 ? .error : .warning
  }
}
