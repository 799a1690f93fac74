import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import HTTPTypes

/// The key of a job: requests with the same identity and the same rules share one. Properties that belong
/// to each caller, such as priority, deadline, previews and storing, are not part of it.
struct JobKey: Hashable {
  let key: CacheKey
  private let policy: ImageRequest.CachePolicy
  private let tiers: ImageRequest.CacheTiers
  /// Transfer timeouts are part of the key: no load may end because of another caller's shorter timeout.
  private let timeouts: LoadRequest.Timeouts
  private let failurePolicy: FailurePolicy
  /// The cache directives of the request, which are not part of its identity.
  private let directives: [String]
  private let caches: String?
  private let serializer: String?
  private let encoding: EncodeOptions?
  /// The coders that decide whether bytes are an image, and its format.
  private let coders: String?
  private let format: ImageFormat?
  /// The limits that decide whether an image is accepted: no caller may fail because of another's limits.
  private let limits: Limits
  private let validators: LoadRequest.Validators?
  /// Distinguishes jobs that are not to be shared.
  private let number: Int

  /// The limits of a request, as far as they differ from those of the pipeline. Indirect, because few do.
  private indirect enum Limits: Hashable {
    case pipeline
    case own(DecodeLimits)

    init(_ limits: DecodeLimits, in pipeline: DecodeLimits) {
      self = limits == pipeline ? .pipeline : .own(limits)
    }
  }

  private init(
    _ key: CacheKey, of request: ImageRequest, limits: Limits, policy: ImageRequest.CachePolicy,
    tiers: ImageRequest.CacheTiers,
    encoding: EncodeOptions?, validators: LoadRequest.Validators?, number: Int
  ) {
    let rules = request.rules
    self.key = key
    self.policy = policy
    self.tiers = tiers
    timeouts = rules.timeouts
    failurePolicy = rules.failurePolicy
    directives =
      request.hasCacheDirectives
      ? request.headers[values: .cacheControl] + request.headers[values: .pragma] : []
    caches = rules.caches?.name
    serializer = rules.originalSerializer?.name
    self.encoding = encoding
    coders = request.coders?.name
    format = request.decoding.formatHint
    self.limits = limits
    self.validators = validators
    self.number = number
  }

  /// Returns the key of the job that makes the image of a request.
  static func image(_ request: ImageRequest, in pipeline: DecodeLimits, number: Int) -> JobKey {
    JobKey(
      request.key, of: request, limits: Limits(request.decodeLimits(in: pipeline), in: pipeline),
      policy: request.cachePolicy, tiers: request.readTiers,
      encoding: request.resultEncoding, validators: nil, number: number)
  }

  /// Returns the key of the job that encodes the image of a request.
  static func encoded(
    _ request: ImageRequest, as output: String, in pipeline: DecodeLimits, number: Int
  ) -> JobKey {
    JobKey(
      CacheKey(request.key.text + output, source: request.key.source), of: request,
      limits: Limits(request.decodeLimits(in: pipeline), in: pipeline),
      policy: request.cachePolicy, tiers: request.readTiers,
      encoding: request.resultEncoding, validators: nil, number: number)
  }

  /// Returns the key of the job that reads the header of an original.
  static func info(_ request: ImageRequest, in pipeline: DecodeLimits, number: Int) -> JobKey {
    JobKey(
      request.headerKey, of: request, limits: Limits(request.loadLimits(in: pipeline), in: pipeline),
      policy: request.cachePolicy, tiers: request.readTiers, encoding: nil, validators: nil, number: number)
  }

  /// Returns the key of the job that finds the original or loads it.
  static func original(
    _ request: ImageRequest, in pipeline: DecodeLimits, policy: ImageRequest.CachePolicy, number: Int
  ) -> JobKey {
    JobKey(
      request.sourceKey, of: request, limits: Limits(request.loadLimits(in: pipeline), in: pipeline),
      policy: policy, tiers: request.readTiers.intersection(.originals),
      encoding: nil, validators: nil, number: number)
  }

  /// Returns the key of the job that loads the original. The load is independent of the policy that led to
  /// it; only policies that trust the age store responses that others must not.
  static func load(
    _ request: ImageRequest, in pipeline: DecodeLimits, policy: ImageRequest.CachePolicy,
    validators: LoadRequest.Validators?, number: Int
  ) -> JobKey {
    JobKey(
      request.sourceKey, of: request, limits: Limits(request.loadLimits(in: pipeline), in: pipeline),
      policy: policy == .ignoreHTTPFreshness ? .ignoreHTTPFreshness : .http,
      tiers: [], encoding: nil,
      validators: validators, number: number)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(policy)
  }
}
