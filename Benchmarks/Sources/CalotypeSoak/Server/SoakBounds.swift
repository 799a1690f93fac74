import Calotype

/// What must hold at every moment of ``ServerSoak``.
struct SoakBounds: Sendable {
  /// Transfers at a time.
  static let transfers = 32
  /// Bytes kept ahead of the consumer of one transfer.
  static let highWater = 256 << 10
  /// Bytes of the memory cache.
  static let memoryCache = 16 << 20
  /// Bytes on their way to the disk.
  static let staging = 8 << 20
  /// Bytes of memory that the group of `--control-group` has.
  static let groupMemory = 256 << 20
  /// Requests that may wait at a time.
  static let waiting = 10_000
  /// Bytes besides those that have a limit: stacks, connections, codecs, and what the allocator has lost between them.
  static let allowance = 80 << 20
  /// Bytes of the task of a caller that waits.
  static let caller = 24 << 10
  /// The same once nothing is left to be done.
  static let idleAllowance = 48 << 20
  /// The longest that somebody waits who has no deadline and does not leave.
  static let patience = Duration.seconds(75)
  /// How much later than it wants to a caller may get its ending: on a machine that has other things to do.
  static let endingSlack = Duration.seconds(5)
  /// Threads and descriptors besides those of a pipeline that has nothing to do.
  static let threads = 32
  static let descriptors = 3 * transfers + 64

  /// Bytes that the pipeline holds while it works.
  static let memory = 40 << 20

  /// Limits of the pipeline. With all else that is bounded here it fits into the group.
  static var limits: ImagePipeline.Limits {
    var limits = ImagePipeline.Limits()
    limits.loads = 64
    return limits
  }

  /// What an image may demand: nothing that is larger than a limit by itself.
  static var decodeLimits: DecodeLimits {
    DecodeLimits(maxPixels: 12_000_000, maxFrames: 256, maxBytes: 8 << 20)
  }

  /// What the process had when it had nothing to do.
  let baseline: ProcessGauges
  /// The longest that 99 of 100 ordinary pictures may take, and statistics.
  let canary: Duration

  /// Bytes resident, when so many callers have waited at a time.
  func residentBytes(callers: Int) -> Int {
    callers * Self.caller + baseline.residentBytes + Self.memory + Self.memoryCache + Self.staging
      + Self.transfers * Self.highWater + Self.allowance
  }

  /// Numbers of the statistics that have a bound at every moment, and must be 0 in the end. A new one is a line here.
  static let statistics: [(name: String, bound: Int, value: @Sendable (ImagePipeline.Statistics) -> Int)] = [
    ("heldBytes", memory, { $0.heldBytes }),
    ("encodedBytes", memory, { $0.encodedBytes }),
    ("arrivingBytes", memory, { $0.arrivingBytes }),
    ("decodedBytes", memory, { $0.decodedBytes }),
    ("storeBytes", memory, { $0.storeBytes }),
    ("waitingStores", limits.waitingStores, { $0.waitingStores }),
    ("waitingEncodes", waiting, { $0.waitingEncodes }),
    ("waitingLoads", waiting, { $0.waitingLoads }),
    ("waitingDecodes", waiting, { $0.waitingDecodes }),
    ("runningDecodes", limits.decodes, { $0.runningDecodes }),
    ("runningImageJobs", waiting + limits.loads, { $0.runningImageJobs }),
    ("runningSourceJobs", 2 * (waiting + limits.loads), { $0.runningSourceJobs }),
  ]
}
