public import CalotypePlanning
public import CalotypeResults
public import CalotypeSettings
public import CalotypeURLs
import Crypto

/// The decisions of a server about requests, made of its settings: immutable, and swapped whole when settings are reloaded.
public final class ServingRules: Sendable {
  /// The settings.
  public let settings: Settings
  /// The reader of URLs, with the keys and presets.
  public let dialect: ImgproxyDialect
  /// The reader of URLs of `/info`, with the keys, and presets of its own.
  public let info: InfoDialect
  /// The planner.
  public let planner: Planner
  /// The sources that are read.
  public let sources: SourceResolver
  /// The freshness of responses.
  public let cacheControl: CacheControlRule
  /// The responses to failures.
  public let errors: ErrorTable
  /// The fields for scripts of other origins.
  public let crossOrigin: CrossOriginRule
  /// The fields that restrict browsers.
  public let security: SecurityRule
  /// The validators of origins, for the switch `origin-etag`.
  public let originValidators: OriginValidators
  /// The dialect in which options become part of identities: it knows all of them, and nothing of the server's.
  let canonical: ImgproxyDialect
  /// A digest of the settings that change results.
  let policyDigest: String
  /// The tokens that allow purges, and requests if there are any.
  let secrets: BearerTokens
  /// The request headers on which all responses depend.
  let varyingHeaders: [String]
  /// A digest of the text that makes earlier entity tags invalid; empty if there is none.
  let entityTagMark: String
  /// Requests that were read before; `nil` if what follows from their text depends on the time, or on other header fields.
  let prepared: PreparedRequests?

  /// Makes rules of settings.
  ///
  /// - Parameter watermark: The watermark of the server, if it has one.
  /// - Throws: The error of presets, keys or replacements.
  public init(_ settings: Settings, watermark: WatermarkImage? = nil) throws(ImageURLError) {
    self.settings = settings
    dialect = try ImgproxyDialect(settings.dialect())
    info = try InfoDialect(settings.infoDialect())
    var canonical = ImgproxyDialect.Configuration()
    canonical.allowsSecurityOptions = true
    canonical.allowsBypassingCache = true
    canonical.limits.bytes = 64 << 10
    canonical.limits.options = 512
    canonical.limits.stages = 64
    self.canonical = try ImgproxyDialect(canonical)
    planner = Planner(PlanningPolicy(settings, watermark: watermark))
    sources = SourceResolver(
      allowed: settings.security.allowedSources.map { SourcePattern($0) },
      localRoot: settings.sources.localRoot, querySeparator: settings.urls.querySeparator,
      watermarkFolder: settings.watermark.directory,
      addresses: AddressKind.allowed(by: settings.security), readsBuckets: settings.sources.usesS3)
    cacheControl = CacheControlRule(settings.httpCache)
    var errors = ErrorTable()
    errors.timeToLive = Int(settings.httpCache.notFoundLifetime.components.seconds)
    errors.showsDetails = settings.server.showsErrorDetails
    self.errors = errors
    crossOrigin = CrossOriginRule(origins: settings.server.allowedOrigins)
    security = SecurityRule(
      resourcePolicy: SecurityRule.ResourcePolicy(rawValue: settings.server.resourcePolicy.rawValue))
    originValidators = OriginValidators(settings.httpCache)
    policyDigest = Self.policyDigest(of: settings) + (watermark.map { " " + $0.id } ?? "")
    secrets = BearerTokens(settings.server.secrets.map(\.exposed))
    let passesCookies = settings.security.passesCookies || settings.security.passesAllCookies
    varyingHeaders =
      (crossOrigin.varies ? ["Origin"] : [])
      + settings.cache.keyHeaders + settings.server.passedRequestHeaders
      + (passesCookies || !settings.cache.keyCookies.isEmpty ? ["Cookie"] : [])
    let dependsOnFields =
      !settings.cache.keyHeaders.isEmpty || !settings.cache.keyCookies.isEmpty || passesCookies
      || !settings.server.passedRequestHeaders.isEmpty || planner.policy.usesClientHints
    let dependsOnTime = settings.security.keyValidity.contains { $0 != nil }
    prepared = dependsOnFields || dependsOnTime ? nil : PreparedRequests()
    let buster = settings.httpCache.etagBuster
    entityTagMark =
      buster.isEmpty
      ? ""
      : HexText.text(SHA256.hash(data: Array(buster.utf8)).prefix(4))
  }
}
