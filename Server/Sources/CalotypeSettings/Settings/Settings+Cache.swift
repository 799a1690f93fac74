extension Settings {
  /// Cached results and sources.
  public struct Cache: Equatable, Sendable {
    /// A place for results.
    public enum Storage: String, SettingConvertible, CaseIterable {
      /// ``Cache/directory`` if there is one, else memory alone.
      case automatic = ""
      /// A folder.
      case fs
      /// A bucket.
      case s3
    }

    /// The separators of tags in responses.
    public enum TagsFormat: String, SettingConvertible, CaseIterable {
      /// All headers.
      case all
      /// Those of CloudFront.
      case cloudfront
      /// Those of Cloudflare.
      case cloudflare
      /// None.
      case none
    }

    /// The place for results besides memory.
    public var storage = Storage.automatic
    /// The beginning of the names of stored results; empty for none.
    public var pathPrefix = ""
    /// The folder for results; empty for none.
    public var directory = ""
    /// The bucket for results; empty for none.
    public var bucket = ""
    /// The service of ``bucket``.
    public var s3 = S3()
    /// The URL of a Redis server that coordinates the work of nodes; empty for none. It may hold a password.
    public var redisURL = Secret("")
    /// The least time that making a result took for it to be kept in ``bucket``.
    public var bucketMinimumCost = Duration.milliseconds(50)
    /// How long small results are kept in Redis, too; 0: they are not.
    public var redisLifetime = Duration.zero
    /// Headers of requests on which results depend.
    public var keyHeaders: [String] = []
    /// Cookies of requests on which results depend.
    public var keyCookies: [String] = []
    /// Whether errors of the cache are reported as those of the request.
    public var reportsErrors = false
    /// The headers for tags.
    public var tagsFormat = TagsFormat.all
    /// Most bytes of results in memory; 0 for a quarter of the memory, at most 512 MiB.
    public var memoryBytes = 0
    /// Most bytes of results in ``directory``.
    public var diskBytes = 1 << 30
    /// Most bytes of sources in ``directory``; 0: they are not kept.
    public var sourceBytes = 0

    /// The defaults.
    public init() {}
  }
}
