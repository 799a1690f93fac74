public import FoundationEssentials
import Glibc

extension DiskCache {
  /// The folder and the limits of a ``DiskCache``.
  public struct Configuration: Hashable, Sendable {
    /// When a stored record survives a loss of power.
    public enum Durability: Hashable, Sendable {
      /// When the kernel has written it back, or ``DiskCache/flush()`` returns. An earlier loss of power may undo the
      /// store; the record never reads as anything else.
      case none
      /// When `store` returns. Each store waits for the device.
      case fsync
    }

    /// The event from which the age of a record counts: ``DiskCache/Configuration/maxAge``.
    public enum AgeOrigin: String, Hashable, Sendable, CaseIterable {
      /// The last read or store. Records that are in use stay.
      case lastAccess
      /// The last store. Reads do not prolong the life of a record.
      case lastStore
      /// The first store of the key since it had no record. A record that replaces another one inherits its age.
      case firstStore
    }

    /// The free space of the file system that stores leave to other programs.
    public enum FreeSpaceFloor: Hashable, Sendable {
      /// A twentieth of the file system, at most 1 GiB.
      case automatic
      /// A number of bytes. 0 and negative numbers mean none.
      case bytes(Int)
      /// None: stores may fill the file system.
      case none

      /// The floor in bytes, on a file system of `total` bytes.
      func bytes(of total: Int) -> Int {
        switch self {
        case .automatic: min(max(0, total) / 20, 1 << 30)
        case .bytes(let count): min(max(0, count), .max >> 2)
        case .none: 0
        }
      }
    }

    /// The folder. It is created on first use, with its parents. Several processes of one machine may share it.
    public var folder: URL
    /// A namespace within the folder, with its own records and limits. Any text is valid; `nil` stands for the folder
    /// itself.
    public var namespace: String?
    /// The most bytes of all records, headers and the record being written included. It holds at every moment, and for
    /// all processes together if they use the same limit. The index takes another 64 bytes per record, and up to 80 per
    /// change.
    public var byteLimit: Int
    /// The most records.
    public var countLimit: Int
    /// The most bytes of one record, header included; `nil` for half of ``byteLimit``.
    public var recordByteLimit: Int?
    /// The free space of the file system below which no store reduces it, as far as `statvfs(3)` tells. Automatic by
    /// default.
    ///
    /// A store that would leave less evicts some records, least recently used first, but not all that it takes where other
    /// programs have used the space: about 192 MiB, or twelve times its own length. If that is not enough, it fails with ``CachingError/belowFreeSpaceFloor(path:)``; and if all records
    /// together would not be enough, because other programs use the space, it evicts none. The free space is measured for
    /// each store; while there is 1 GiB above the floor, once a second or after an eighth of that was used. Journal and
    /// index are small and not counted.
    public var freeSpaceFloor = FreeSpaceFloor.automatic
    /// How long a record lives, counted from ``ageOrigin``; `nil` for ever.
    public var maxAge: Duration?
    /// The event from which the age of a record counts. The last access by default.
    public var ageOrigin = AgeOrigin.lastAccess
    /// The fill level after an eviction, as a fraction of the limits from 0 to 1. Once a limit is exceeded, records are
    /// evicted down to this level: as many as a store needs before it, the others step by step between stores.
    public var lowWatermark: Double
    /// How old the recorded time of the last access may become before a read updates it.
    public var touchInterval: Duration
    /// When a stored record survives a loss of power.
    public var durability: Durability
    /// The number of threads that read files that are not in the page cache. They start on demand; as many more may
    /// start while the file system stalls those. One more thread writes, and one scans all records on request.
    public var threads: Int
    /// The most bytes that were handed over and are not written yet: ``DiskCache/handOver(_:metadata:for:)``.
    public var stagingByteLimit: Int
    /// How long removals, flushes and other explicit operations wait for another process that holds the lock.
    public var lockTimeout: Duration
    /// How long stores wait without progress: for another process that holds the lock (at most ``lockTimeout``), and
    /// for room in the queue of unwritten records. After such a wait for the lock, stores fail at once until it can be
    /// taken; one store probes it after a second at first, and every 30 seconds at last.
    public var storeTimeout: Duration
    /// How long a read may take before it fails as stalled. While all threads are stalled, reads of files that are not
    /// in the page cache fail at once; one read probes the file system after a second at first, and every 30 seconds at
    /// last.
    public var readTimeout: Duration
    /// User IDs whose files and folders are used as well as those of the process's own user and of root, such as the owner
    /// of a volume in a container. Empty by default.
    public var trustedOwners: Set<UInt32> = []
    /// Whether records with equal payloads of at least 16 KiB share them on disk. `true` by default.
    ///
    /// A store whose payload equals, byte for byte, one of the last 8,192 that this cache has stored since it was created writes
    /// only its key and metadata, and gives the file of the other record a second name (hard link), so that removing one
    /// leaves the other. The limits count every record in full. Without hard links, as on some file systems, every record
    /// is stored whole. While a record shares the file of another one, key and metadata of that one stay in the file even
    /// if it was removed.
    public var sharesPayloads = true
    /// The shortest payload that is shared.
    var sharedPayloadBytes = 16 << 10
    /// The most changes in the journal before the index is rewritten; more for large indices.
    var journalCount = 4096

    /// Creates a configuration; parameters have the defaults of the properties.
    public init(
      folder: URL = Configuration.defaultFolder, namespace: String? = nil, byteLimit: Int = 1 << 30,
      countLimit: Int = 250_000,
      recordByteLimit: Int? = nil, maxAge: Duration? = .seconds(7 * 24 * 3600), lowWatermark: Double = 0.9,
      touchInterval: Duration = .seconds(60), durability: Durability = .none, threads: Int = 2,
      stagingByteLimit: Int = 64 << 20, lockTimeout: Duration = .seconds(30),
      storeTimeout: Duration = .seconds(1), readTimeout: Duration = .seconds(1)
    ) {
      self.folder = folder
      self.namespace = namespace
      self.byteLimit = byteLimit
      self.countLimit = countLimit
      self.recordByteLimit = recordByteLimit
      self.maxAge = maxAge
      self.lowWatermark = lowWatermark
      self.touchInterval = touchInterval
      self.durability = durability
      self.threads = threads
      self.stagingByteLimit = stagingByteLimit
      self.lockTimeout = lockTimeout
      self.storeTimeout = storeTimeout
      self.readTimeout = readTimeout
    }

    /// `$XDG_CACHE_HOME/calotype`, or `~/.cache/calotype` when the variable is not an absolute path.
    public static var defaultFolder: URL {
      defaultFolder(environment: ProcessInfo.processInfo.environment)
    }

    static func defaultFolder(environment: [String: String]) -> URL {
      // The XDG base directory specification says to ignore relative paths.
      if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") {
        return URL(filePath: base, directoryHint: .isDirectory).appending(path: "calotype")
      }
      let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? accountHome ?? "/"
      return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".cache/calotype")
    }

    /// The home folder of the account in the user database, for processes without `HOME`.
    private static var accountHome: String? {
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard let base = buffer.baseAddress,
          getpwuid_r(getuid(), &entry, base, buffer.count, &found) == 0, let account = found?.pointee,
          let home = account.pw_dir
        else { return nil }
        return String(cString: home)
      }
    }

    /// The effective limit for one record, in bytes.
    var effectiveRecordLimit: Int {
      max(0, min(recordByteLimit ?? byteLimit / 2, byteLimit))
    }

    /// When a record that was stored at `time` becomes too old; `nil` if that depends on later reads, or never.
    package func storedExpiry(of time: Date) -> Date? {
      guard ageOrigin != .lastAccess, let maxAge else { return nil }
      return time.addingTimeInterval(maxAge.seconds)
    }

    /// The effective time that stores wait for the lock.
    var effectiveStoreTimeout: Duration { min(storeTimeout, lockTimeout) }

    /// The limits after an eviction.
    var lowMarks: (bytes: Int, count: Int) {
      let fraction = lowWatermark.isFinite ? min(max(lowWatermark, 0), 1) : 0.9
      func mark(_ limit: Int) -> Int {
        // `Double` rounds the largest limits up to a value that does not fit.
        Int(exactly: (Double(max(0, limit)) * fraction).rounded(.down)) ?? limit
      }
      return (mark(byteLimit), mark(countLimit))
    }
  }
}
