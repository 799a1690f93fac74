extension Settings {
  /// Metrics and traces.
  public struct Metrics: Equatable, Sendable {
    /// How the identifiers of traces are made.
    public enum TraceIDs: String, SettingConvertible, CaseIterable {
      /// With the time in front, as AWS X-Ray demands.
      case xray
      /// At random.
      case random
    }

    /// Where Prometheus reads metrics; `nil`: nowhere.
    public var prometheus: BindAddress?
    /// The text in front of the names of metrics; empty for none.
    public var prometheusNamespace = ""
    /// Whether traces are sent by OpenTelemetry.
    public var usesOpenTelemetry = false
    /// Whether metrics are sent by OpenTelemetry, too.
    public var exportsMetrics = false
    /// Whether logs are sent by OpenTelemetry, too.
    public var exportsLogs = false
    /// The certificate of the collector, in PEM; empty for those of the system.
    public var serverCertificate = ""
    /// The certificate for the collector, in PEM; empty for none.
    public var clientCertificate = ""
    /// The key of ``clientCertificate``, in PEM.
    public var clientKey = Secret("")
    /// How the identifiers of traces are made.
    public var traceIDs = TraceIDs.xray
    /// Whether a trace of the client is continued, in spans and in requests to sources.
    public var continuesTraces = false

    /// The defaults.
    public init() {}
  }

  /// Logs and reports of errors.
  public struct Logging: Equatable, Sendable {
    /// A form of logs.
    public enum Format: String, SettingConvertible, CaseIterable {
      /// For people.
      case pretty
      /// `key=value`.
      case structured
      /// A JSON object a line.
      case json
      /// A JSON object a line, with the names of Google Cloud.
      case gcp
    }

    /// The least severity that is logged.
    public enum Level: String, SettingConvertible, CaseIterable {
      /// Everything.
      case debug
      /// Normal events, too.
      case info
      /// Possible faults, too.
      case warn
      /// Faults.
      case error
      /// Faults that end the server.
      case fatal
    }

    /// The form of logs.
    public var format = Format.json
    /// The least severity that is logged.
    public var level = Level.info
    /// Whether failed downloads are errors in logs.
    public var reportsDownloadErrors = true
    /// Whether broken connections are errors in logs.
    public var reportsIOErrors = false

    /// The defaults.
    public init() {}
  }

  /// Behaviour of imgproxy that Calotype's differs from on purpose.
  public struct Compatibility: Equatable, Sendable {
    /// Whether the unused bits of a signature's last character may be anything.
    public var acceptsMalleableSignatures = false
    /// Whether every HEAD is answered with 200, without work.
    public var answersEveryHead = false
    /// Whether `ETag` is that of the source, for every variant of it.
    public var passesOriginETag = false

    /// The defaults.
    public init() {}
  }

  /// How settings themselves are read.
  public struct Loading: Equatable, Sendable {
    /// The path of the TOML file; empty for none.
    public var configurationFile = ""
    /// The path of the env file; empty for none.
    public var environmentFile = ""
    /// Whether unknown, unsupported and deprecated names are errors.
    public var isStrict = false
    /// Whether the defaults are those of imgproxy.
    public var usesImgproxyDefaults = false

    /// The defaults.
    public init() {}
  }
}
