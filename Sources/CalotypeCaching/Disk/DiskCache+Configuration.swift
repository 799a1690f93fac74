public import FoundationEssentials
import Glibc

extension DiskCache {
  /// Where a ``DiskCache`` lives and how much it keeps.
  public struct Configuration: Hashable, Sendable {
    /// When a stored record is safe.
    public enum Durability: Hashable, Sendable {
      /// When the kernel writes it back, or ``DiskCache/flush()`` returns. A loss of power before may undo the store;
      /// the record never reads as something else.
      case none
      /// When `store` returns: each store waits for the device.
      case fsync
    }

    /// The folder. It is made on first need, with those above it; several processes of one machine may share it.
    public var folder: URL
    /// A part of the folder with records and limits of its own; any text will do. `nil` for the folder itself.
    public var namespace: String?
    /// Most bytes of all records, headers included, and of the one that is being written. Holds at every moment and
    /// for all processes together, if they agree about it. The list of the records takes 64 bytes for each besides,
    /// and up to 80 for each change.
    public var byteLimit: Int
    /// Most records.
    public var countLimit: Int
    /// Most bytes one record may have, header included; `nil` for half of ``byteLimit``.
    public var recordByteLimit: Int?
    /// How long a record lives after it was last read or stored; `nil` for ever.
    public var maxAge: Duration?
    /// How full the cache is at most after it evicted, as a fraction of the limits from 0 to 1. Once a limit was
    /// passed, records go until then: as many as a store needs room for before it, the others step by step when nothing
    /// is stored.
    public var lowWatermark: Double
    /// How old the time of the last access may get before a read writes it anew.
    public var touchInterval: Duration
    /// When a stored record is safe.
    public var durability: Durability
    /// Number of threads that read what is not in memory, started when they are needed; as many more may follow while
    /// the file system holds those up. One more writes, and one goes through all records when that is asked for.
    public var threads: Int
    /// Most bytes that were handed over and are not written yet: ``DiskCache/handOver(_:metadata:for:)``.
    public var stagingByteLimit: Int
    /// How long to wait for another process that writes: for removals, flushes and everything else that is asked for
    /// explicitly.
    public var lockTimeout: Duration
    /// How long stores wait for what does not move: for another process that writes, if that is less than
    /// ``lockTimeout``, and for room among what waits to be written while nothing is. After such a wait for another
    /// process, stores fail at once until it has ended; one tries now and then, after a second at first and 30 at last.
    public var storeTimeout: Duration
    /// How long a thread may take for a read before the caller is told that it has stalled. While all threads are held
    /// up, reads of what is not in memory fail at once; one tries now and then, after a second at first and 30 at last.
    public var readTimeout: Duration
    /// User IDs whose files and folders are used as well as those of the process's own user and of root, such as the owner
    /// of a volume in a container. Empty by default.
    public var trustedOwners: Set<UInt32> = []
    /// Most changes in the journal before the index is written anew; more for large indices.
    var journalCount = 4096

    /// The default configuration with a few things changed.
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
      // The base directory specification: relative paths are invalid and to be ignored.
      if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") {
        return URL(filePath: base, directoryHint: .isDirectory).appending(path: "calotype")
      }
      let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? accountHome ?? "/"
      return URL(filePath: home, directoryHint: .isDirectory).appending(path: ".cache/calotype")
    }

    /// The home folder the account has in the user database, for processes without `HOME`.
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

    /// Most bytes one record may have in effect.
    var effectiveRecordLimit: Int {
      max(0, min(recordByteLimit ?? byteLimit / 2, byteLimit))
    }

    /// How long stores wait for the lock.
    var effectiveStoreTimeout: Duration { min(storeTimeout, lockTimeout) }

    /// The limits after an eviction.
    var lowMarks: (bytes: Int, count: Int) {
      let fraction = lowWatermark.isFinite ? min(max(lowWatermark, 0), 1) : 0.9
      func mark(_ limit: Int) -> Int {
        // `Double` rounds the largest limits up to what no longer fits.
        Int(exactly: (Double(max(0, limit)) * fraction).rounded(.down)) ?? limit
      }
      return (mark(byteLimit), mark(countLimit))
    }
  }
}
