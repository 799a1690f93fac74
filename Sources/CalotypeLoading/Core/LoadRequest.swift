package import CalotypeSupport
public import FoundationEssentials
public import HTTPTypes

/// A request to load: the source, the fields that a response may vary on, and the limits.
///
/// ```swift
/// var request = LoadRequest(url: url)
/// request.headers[.authorization] = "Bearer …"
/// request.timeouts.total = .seconds(30)
/// let (bytes, response) = try await loader.data(for: request)
/// ```
public struct LoadRequest: Equatable, Sendable {
  /// The source of the bytes.
  public var source: ImageSource
  /// Header fields to send; they take precedence over the loader's own. Local sources ignore them.
  public var headers: HTTPFields
  /// The `Accept` field to send, if neither ``headers`` have one nor the loader is configured with its own; `nil`, the
  /// default, for the loader's.
  public var accept: String?
  /// Deadlines.
  public var timeouts: LoadRequest.Timeouts
  /// The largest body to accept, in bytes; checked against the declared length and while receiving.
  public var byteLimit: Int
  /// The most bytes of a body to hold in memory. A larger one is collected in an unnamed temporary file, which is
  /// deleted with the bytes. 32 MiB by default.
  public var memoryByteLimit = 32 << 20
  /// The smallest fraction of a body, from 0 to 1, between two progress reports; 0 reports each chunk.
  public var progressStep = 0.0
  /// The credential for the origin of the URL. Never sent to another origin, for example after a redirect. It takes
  /// precedence over credentials in the URL.
  public var credential: LoadRequest.Credential?
  /// The validators of a version that the caller has: the server answers 304 without a body if it is still current.
  /// Only for HTTP.
  public var validators: LoadRequest.Validators?
  /// The HTTP statuses to accept; any other is ``LoadingError/httpStatus(_:status:headers:redirects:)``.
  public var statuses: LoadRequest.AcceptedStatuses
  /// Alternative URLs of the same image, tried in this order when the source fails permanently.
  public var fallbacks: [URL]
  /// The priority among waiting loads. `nil` uses the priority of the calling task, and follows it if it is raised
  /// while the load waits.
  public var priority: TaskPriority?
  /// How to treat a remembered failure. ``FailurePolicy/respect`` by default. Applies to loaders with a
  /// ``FailureMemory``, such as ``HTTPLoader``, and to each source of the request.
  public var failurePolicy = FailurePolicy.respect
  /// The partition of the request. Partial bodies, remembered failures and cookies are never shared between partitions.
  /// `nil`, the default, is a separate partition.
  public var partition: String?
  /// Whether the request may be sent a second time while the first is late: ``HedgingPolicy``. On by default; to be
  /// turned off for a URL whose `GET` has side effects, or that answers once.
  public var allowsHedging = true
  /// The method and the content, unless the request is a plain `GET`.
  package var exchange: LoadRequest.Exchange?
  /// ``ImageLoading/identity`` of the present loader, for state that it may share with other loaders.
  var loaderIdentity = ""
  private var following = Following()
  private var attached = Attached()

  /// 256 MiB.
  public static let defaultByteLimit = 256 << 20

  /// Creates a request for `source`.
  public init(
    source: ImageSource, headers: HTTPFields = HTTPFields(),
    timeouts: LoadRequest.Timeouts = LoadRequest.Timeouts(),
    byteLimit: Int = LoadRequest.defaultByteLimit, credential: LoadRequest.Credential? = nil,
    validators: LoadRequest.Validators? = nil,
    statuses: LoadRequest.AcceptedStatuses = .success,
    fallbacks: [URL] = [], priority: TaskPriority? = nil
  ) {
    self.source = source
    self.headers = headers
    self.timeouts = timeouts
    self.byteLimit = byteLimit
    self.credential = credential
    self.validators = validators
    self.statuses = statuses
    self.fallbacks = fallbacks
    self.priority = priority
  }

  /// Creates a request for the image at `url`.
  public init(
    url: URL, headers: HTTPFields = HTTPFields(), timeouts: LoadRequest.Timeouts = LoadRequest.Timeouts(),
    byteLimit: Int = LoadRequest.defaultByteLimit, credential: LoadRequest.Credential? = nil,
    validators: LoadRequest.Validators? = nil,
    statuses: LoadRequest.AcceptedStatuses = .success, fallbacks: [URL] = [], priority: TaskPriority? = nil
  ) {
    self.init(
      source: .url(url), headers: headers, timeouts: timeouts, byteLimit: byteLimit, credential: credential,
      validators: validators, statuses: statuses, fallbacks: fallbacks, priority: priority)
  }

  /// A priority that may change while the load waits. It takes precedence over ``priority``, and is ignored by `==`.
  package var livePriority: LivePriority? {
    get { following.priority }
    set { following.priority = newValue }
  }

  /// Told when the transfer starts; ignored by `==`.
  var start: TransferStart? {
    get { following.start }
    set { following.start = newValue }
  }

  /// Hooks of this request alone; compared by their identity.
  var attachment: (any LoadAttaching)? {
    get { attached.value }
    set { attached.value = newValue }
  }

  private struct Attached: Equatable, Sendable {
    var value: (any LoadAttaching)?

    static func == (left: Attached, right: Attached) -> Bool { left.value?.identity == right.value?.identity }
  }

  /// State that does not take part in equality.
  private struct Following: Equatable, Sendable {
    var priority: LivePriority?
    var start: TransferStart?

    static func == (_: Following, _: Following) -> Bool { true }
  }

  /// Returns whether a response of that status is accepted.
  package func accepts(status: Int) -> Bool {
    exchange != nil || statuses.contains(status) || (status == 304 && isConditional)
  }

  /// Whether a second request does no harm: a `GET` of HTTP, unless the caller forbids it. Other schemes may mean anything.
  var isHedgeable: Bool {
    allowsHedging && exchange == nil && (source.scheme == "https" || source.scheme == "http")
  }

  /// Whether the request is conditional, so that 304 can be the answer.
  var isConditional: Bool {
    validators.map { !$0.isEmpty || $0.isFresh } == true || headers[.ifNoneMatch] != nil
      || headers[.ifModifiedSince] != nil
  }
}
