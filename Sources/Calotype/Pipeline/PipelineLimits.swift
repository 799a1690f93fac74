import CalotypeSupport

/// How much a pipeline does at a time, and how many bytes that may take. What goes beyond waits, the most urgent first.
///
/// The numbers follow from the processors that the process may use: those of its affinity mask and of the quota of its
/// control group. How many transfers run at a time is up to the loader.
public struct PipelineLimits: Hashable, Sendable {
  /// Images decoded at a time: one a processor.
  public var decodes = Threads.availableProcessors
  /// Pictures transformed at a time: one a processor.
  public var transforms = Threads.availableProcessors
  /// Results encoded at a time: one for two processors, so that images that somebody waits for go first.
  public var encodes = max(1, Threads.availableProcessors / 2)
  /// Loads under way at a time. The loader has limits of its own for transfers; this one also counts what has not got there.
  public var loads = 1000
  /// Pixels under way, from the decode until the image is handed over and stored. 512 MiB. An image that is larger goes alone.
  public var decodedBytes = 512 << 20
  /// Encoded originals that wait for their decode or are being decoded: while there are more, nothing else is loaded.
  /// 256 MiB. A single original may be larger.
  public var encodedBytes = 256 << 20

  /// The limits of this machine.
  public init() {}
}
