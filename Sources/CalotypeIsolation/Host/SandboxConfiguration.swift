public import CalotypeImaging
import CalotypeSupport

/// The processes that decode in the place of this one, and what they may do.
///
/// ```swift
/// let pipeline = ImagePipeline(urls: .untrusted) { $0.decoding = .sandboxed(workers: 2) }
/// ```
///
/// Each is this program again, started by `posix_spawn`, which gives up everything but memory and one connection before it
/// sees the first byte of an image: files and network (Landlock, seccomp), new privileges, other processes, its environment.
public struct SandboxConfiguration: Hashable, Sendable {
  /// The formats that are decoded in a sandbox.
  public enum Formats: Hashable, Sendable {
    /// All formats.
    case all
    /// These formats; all others are decoded in this process.
    case only(Set<ImageFormat>)
  }

  /// The life of a worker.
  public enum Reuse: Hashable, Sendable {
    /// A worker ends after so many images, so that what one image left behind is gone some time later.
    case images(Int)
    /// Each image has a worker of its own, started ahead: no image can learn anything of another one.
    case one
  }

  /// The program of the workers.
  public enum Executable: Hashable, Sendable {
    /// The program of this process, by `/proc/self/exe`.
    case thisProgram
    /// Another program that links `CalotypeIsolation` of the same version.
    case path(String)
  }

  /// The place where a worker takes over its program.
  public enum Entry: Hashable, Sendable {
    /// Before `main`, with the decoders of the package.
    case initializer
    /// In `main`, by ``DecodingWorker/runIfAsked(coders:)``, with decoders of one's own.
    case main
  }

  /// The treatment of machines without the means for a sandbox.
  public enum Unavailability: Hashable, Sendable {
    /// Decodes fail with `ImagingError.sandboxUnavailable`.
    case fail
    /// Images are decoded in this process. ``SandboxStatistics/decodedHere`` counts them. HEIF and SVG are not decoded.
    case decodeHere
  }

  /// The delay of new workers after many have died, so that trying inputs until one succeeds takes long.
  public struct Restart: Hashable, Sendable {
    /// Deaths within a minute that delay nothing. 5 by default.
    public var deathsPerMinute: Int
    /// The delay after one more death, doubled after each further one. 0.1 s by default.
    public var delay: Duration
    /// The longest delay. 30 s by default.
    public var longestDelay: Duration

    /// Creates a rule.
    public init(
      deathsPerMinute: Int = 5, delay: Duration = .milliseconds(100), longestDelay: Duration = .seconds(30)
    ) {
      self.deathsPerMinute = deathsPerMinute
      self.delay = delay
      self.longestDelay = longestDelay
    }
  }

  /// The largest number of workers. They are started when there is work, and end when there is none for a minute. As many as
  /// there are processors by default.
  public var workers: Int
  /// The formats that are decoded in a sandbox. All by default.
  public var formats: Formats
  /// The life of a worker. A thousand images by default.
  public var reuse: Reuse
  /// Bytes of memory for decoding in each worker. 1 GiB by default. Shared memory for input and output is not counted.
  public var memory: Int
  /// The longest time of a job: decoding an image, or a frame. 10 seconds by default;
  /// `DecodeLimits.maxDuration` if that is shorter.
  public var deadline: Duration
  /// The program of the workers. This one by default.
  public var executable: Executable
  /// The place where a worker takes over its program. An initialiser by default.
  public var entry: Entry
  /// The treatment of machines without the means for a sandbox. Decodes fail by default.
  public var whenUnavailable: Unavailability
  /// The delay of new workers after many have died.
  public var restart: Restart

  /// Options of tests.
  package struct TestOptions: Hashable, Sendable {
    package var usesTestCoders = false
    package var withoutSeccomp = false
    package var withoutLandlock = false
    package init() {}
  }
  package var test = TestOptions()

  /// Creates a configuration; parameters that are left out keep their defaults.
  public init(
    workers: Int? = nil, formats: Formats = .all, reuse: Reuse = .images(1_000), memory: Int = 1 << 30,
    deadline: Duration = .seconds(10), executable: Executable = .thisProgram, entry: Entry = .initializer,
    whenUnavailable: Unavailability = .fail, restart: Restart = Restart()
  ) {
    self.workers = max(1, workers ?? Threads.availableProcessors)
    self.formats = formats
    self.reuse = reuse
    self.memory = memory
    self.deadline = deadline
    self.executable = executable
    self.entry = entry
    self.whenUnavailable = whenUnavailable
    self.restart = restart
  }

  /// Returns true if images of a format are decoded in a sandbox.
  package func includes(_ format: ImageFormat) -> Bool {
    switch formats {
    case .all: true
    case .only(let formats): formats.contains(format)
    }
  }
}
