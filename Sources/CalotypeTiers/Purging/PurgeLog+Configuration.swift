public import FoundationEssentials

extension PurgeLog {
  /// The settings of a log.
  public struct Configuration: Hashable, Sendable {
    /// The time between two looks for new entries, announced or not; ± 20 %. Announcements of a node without Redis are lost, and
    /// the others cannot know.
    public var pollInterval = Duration.seconds(10)
    /// The most numbers that ``PurgeLog/append(_:)`` tries.
    public var maxTries = 16
    /// How long a missing number is waited for, which its node may have taken without writing the entry.
    public var gapTimeout = Duration.seconds(60)
    /// A snapshot is written after each entry whose number is a multiple of this one.
    public var snapshotInterval = 1_000
    /// Where the number of the last applied entry is kept: beside the disk cache, so that a node that slept purges its
    /// records. `nil` keeps it nowhere.
    public var positionFile: URL?

    /// The default settings.
    public init(positionFile: URL? = nil) {
      self.positionFile = positionFile
    }
  }

  /// The figures of a log.
  public struct Statistics: Hashable, Sendable {
    /// Entries that were applied.
    public var applied = 0
    /// Entries that this node appended.
    public var appended = 0
    /// Looks into the storage.
    public var polls = 0
    /// Looks that failed.
    public var failedPolls = 0
    /// Numbers that were never written.
    public var skipped = 0
    /// Selections that the table holds.
    public var selections = 0
    /// Bytes that the table holds.
    public var bytes = 0
  }
}
