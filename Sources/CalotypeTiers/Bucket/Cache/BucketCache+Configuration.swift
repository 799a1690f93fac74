public import CalotypeLoading

extension BucketCache {
  /// The limits of a ``BucketCache``.
  public struct Configuration: Sendable {
    /// The part of the bucket. ``Bucket/Folder/originals`` by default.
    public var folder: Bucket.Folder
    /// The longest time from a read to the header of the answer, time in queues included: then it is a miss. 300 ms by
    /// default.
    public var readDeadline = Duration.milliseconds(300)
    /// The bytes of a body that a second must bring, after the first 300 ms; a slower one is a miss. 1 MiB by default.
    public var bytesPerSecond = 1 << 20
    /// The most bytes of a record, header included; longer ones are not shared. 32 MiB by default.
    public var recordLimit = 32 << 20
    /// The least time that making a record took (`RecordMetadata.cost`); cheaper ones are not shared, because writing them
    /// costs more than making them again. Records without a known time, such as originals, are shared. 50 ms by default for
    /// ``Bucket/Folder/results``, zero for originals; choose zero where writes are not paid for.
    public var minimumCost = Duration.zero
    /// The time after which a lifecycle rule of the bucket removes a record. One that is read in the last third of it is
    /// written again. 90 days by default for originals, 30 days for results; `nil` writes none again.
    public var lifetime: Duration?
    /// The most bytes of all records that wait to be written; more are dropped, and counted. 64 MiB by default.
    public var queueLimit = 64 << 20
    /// The most writes at a time. 8 by default; fewer while the server asks for that.
    public var maxWrites = 8
    /// The most reads at a time. 64 by default.
    public var maxReads = 64
    /// Certificates, proxies and addresses of the connections. Its header fields, cookies, credentials and numbers of
    /// transfers do not apply.
    public var connections = CurlLoader.Configuration()

    /// Creates the default configuration for a part of the bucket.
    public init(folder: Bucket.Folder = .originals) {
      self.folder = folder
      switch folder {
      case .originals: lifetime = .seconds(90 * 86_400)
      case .results:
        lifetime = .seconds(30 * 86_400)
        minimumCost = .milliseconds(50)
      }
    }
  }
}
