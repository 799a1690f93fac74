/// All settings of the image server.
///
/// The initial values of the properties are the defaults. ``SettingTable`` names the properties for people and programs;
/// ``SettingsLoader`` reads them.
public struct Settings: Equatable, Sendable {
  /// Addresses, timeouts and headers of the HTTP server.
  public var server = Server()
  /// Signatures, and the sources and options that URLs may name.
  public var security = Security()
  /// Limits of sources and results.
  public var limits = Limits()
  /// Workers, queues and downloads.
  public var concurrency = Concurrency()
  /// Freshness and validators of responses.
  public var httpCache = HTTPCache()
  /// Formats that the server chooses, and their encoders.
  public var formats = Formats()
  /// Quality by measuring, and the best format.
  public var quality = Quality()
  /// How images are processed if a URL does not say otherwise.
  public var processing = Processing()
  /// Watermarks.
  public var watermark = Watermark()
  /// The image in place of one that cannot be loaded.
  public var fallback = Fallback()
  /// Named sets of options.
  public var presets = Presets()
  /// How URLs are read.
  public var urls = URLs()
  /// Where sources come from.
  public var sources = Sources()
  /// Cached results and sources.
  public var cache = Cache()
  /// Metrics and traces.
  public var metrics = Metrics()
  /// Logs and reports of errors.
  public var logging = Logging()
  /// Behaviour of imgproxy that Calotype's differs from on purpose.
  public var compatibility = Compatibility()
  /// How settings themselves are read.
  public var loading = Loading()

  /// The defaults.
  public init() {}
}
