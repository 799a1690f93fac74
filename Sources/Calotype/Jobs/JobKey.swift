import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import HTTPTypes

/// What makes two requests one job: the same identity, by the same rules. What each caller has for itself, such as priority,
/// deadline, previews and where to store, is no part of it.
struct JobKey: Hashable {
  let key: CacheKey
  private let policy: ImageRequest.CachePolicy
  private let tiers: ImageRequest.CacheTiers
  /// Deadlines of the transfer count: nobody's load may end because somebody else was in a hurry.
  private let timeouts: LoadRequest.Timeouts
  private let failurePolicy: FailurePolicy
  /// What the request itself says of caching, which is no part of its identity.
  private let directives: [String]
  private let caches: String?
  private let serializer: String?
  private let encoding: EncodeOptions?
  /// Who decides whether bytes are an image, and as what.
  private let coders: String?
  private let format: ImageFormat?
  private let validators: LoadRequest.Validators?
  /// Tells jobs apart that are not to be shared.
  private let number: Int

  private init(
    _ key: CacheKey, of request: ImageRequest, policy: ImageRequest.CachePolicy,
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
    format = request.formatHint
    self.validators = validators
    self.number = number
  }

  /// Of the job that makes the image of a request.
  static func image(_ request: ImageRequest, number: Int) -> JobKey {
    JobKey(
      request.key, of: request, policy: request.cachePolicy, tiers: request.readTiers,
      encoding: request.resultEncoding, validators: nil, number: number)
  }

  /// Of the job that finds its original or has it loaded.
  static func original(_ request: ImageRequest, policy: ImageRequest.CachePolicy, number: Int) -> JobKey {
    JobKey(
      request.sourceKey, of: request, policy: policy, tiers: request.readTiers.intersection(.originals),
      encoding: nil, validators: nil, number: number)
  }

  /// Of the job that loads its original. Whatever led there, it is the same load; only those who go by age keep what
  /// others must not.
  static func load(
    _ request: ImageRequest, policy: ImageRequest.CachePolicy, validators: LoadRequest.Validators?,
    number: Int
  ) -> JobKey {
    JobKey(
      request.sourceKey, of: request, policy: policy == .ignoreHTTPFreshness ? .ignoreHTTPFreshness : .http,
      tiers: [], encoding: nil,
      validators: validators, number: number)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(policy)
  }
}
