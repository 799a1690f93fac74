package import CalotypeSupport
public import FoundationEssentials
public import HTTPTypes

/// What to load: the source, what the response may vary on, and the limits.
///
/// ```swift
/// var request = LoadRequest(url: url)
/// request.headers[.authorization] = "Bearer …"
/// request.timeouts.total = .seconds(30)
/// let (bytes, response) = try await loader.data(for: request)
/// ```
public struct LoadRequest: Equatable, Sendable {
  /// Where the bytes come from.
  public var source: ImageSource
  /// Header fields to send; they win over the loader's own. Local sources ignore them.
  public var headers: HTTPFields
  /// Deadlines.
  public var timeouts: LoadTimeouts
  /// Largest body to accept, in bytes; checked against the declared length and while receiving.
  public var byteLimit: Int
  /// Most bytes of a body to hold in memory; a larger one is collected in a temporary file, which has no name and goes with
  /// the bytes. 32 MiB by default.
  public var memoryByteLimit = 32 << 20
  /// The least fraction of a body, from 0 to 1, between two reports of progress; 0 reports each chunk.
  public var progressStep = 0.0
  /// Who we are to the origin of the URL; never sent to another, e.g. after a redirect. It wins over credentials in the URL.
  public var credential: LoadRequest.Credential?
  /// What the caller holds already: a server answers 304 without a body if that is still right. Only for HTTP.
  public var validators: LoadRequest.Validators?
  /// Which HTTP statuses are an answer; another is ``LoadingError/httpStatus(_:status:headers:)``.
  public var statuses: AcceptedStatuses
  /// Other places of the same image, asked in this order when the source fails for good.
  public var fallbacks: [URL]
  /// Which of the waiting loads goes first. `nil` stands for the priority of the calling task, and follows it when that is
  /// raised while the load waits.
  public var priority: TaskPriority?
  /// What becomes of a failure that is remembered. ``FailurePolicy/respect`` by default; for loaders with a
  /// ``FailureMemory``, such as ``HTTPLoader``, and for each source of the request.
  public var failurePolicy = FailurePolicy.respect
  /// Whose request it is: what is kept of a body that broke off, of failures and of cookies is never shared between
  /// partitions. `nil`, the default, is a partition too.
  public var partition: String?
  /// ``ImageLoading/identity`` of the loader that has the request now, for what it keeps and may share with others.
  var loaderIdentity = ""
  private var following = Following()

  /// 256 MiB.
  public static let defaultByteLimit = 256 << 20

  /// A request for `source`.
  public init(
    source: ImageSource, headers: HTTPFields = HTTPFields(), timeouts: LoadTimeouts = LoadTimeouts(),
    byteLimit: Int = LoadRequest.defaultByteLimit, credential: LoadRequest.Credential? = nil, validators: LoadRequest.Validators? = nil,
    statuses: AcceptedStatuses = .success,
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

  /// A request for the image at `url`.
  public init(
    url: URL, headers: HTTPFields = HTTPFields(), timeouts: LoadTimeouts = LoadTimeouts(),
    byteLimit: Int = LoadRequest.defaultByteLimit, credential: LoadRequest.Credential? = nil, validators: LoadRequest.Validators? = nil,
    statuses: AcceptedStatuses = .success, fallbacks: [URL] = [], priority: TaskPriority? = nil
  ) {
    self.init(
      source: .url(url), headers: headers, timeouts: timeouts, byteLimit: byteLimit, credential: credential,
      validators: validators, statuses: statuses, fallbacks: fallbacks, priority: priority)
  }

  /// A priority that changes while the load waits, up and down; it wins over ``priority``. Requests that differ in nothing
  /// else are equal.
  package var livePriority: LivePriority? {
    get { following.priority }
    set { following.priority = newValue }
  }

  /// What is followed, which is no part of what is asked for.
  private struct Following: Equatable, Sendable {
    var priority: LivePriority?

    static func == (_: Following, _: Following) -> Bool { true }
  }

  /// Whether an answer of that status is let through.
  package func accepts(status: Int) -> Bool {
    statuses.contains(status) || (status == 304 && isConditional)
  }

  /// Whether 304 can be the answer.
  var isConditional: Bool {
    validators.map { !$0.isEmpty || $0.isFresh } == true || headers[.ifNoneMatch] != nil
      || headers[.ifModifiedSince] != nil
  }
}
