public import CalotypeLoading

extension ImagePipeline {
  /// What is done on the way to an image.
  public enum Stage: String, Hashable, Sendable, CaseIterable {
    /// Reading results and originals from caches on disk.
    case read
    /// Loading the original.
    case load
    /// Waiting for a turn to decode.
    case wait
    /// Decoding, shrinking and transforming in one go.
    case decode
    /// Transforming what others made.
    case transform
    /// Encoding the result for the disk.
    case encode
    /// Writing results and originals.
    case store
  }
}

extension ImageResponse {
  /// How long the stages of one image took.
  public struct Timings: Hashable, Sendable {
    /// The stages that were gone through.
    public var stages: [ImagePipeline.Stage: Duration] = [:]
    /// What the loader measured; `nil` when nothing was loaded for this image, or the loader does not measure.
    public var load: LoadResponse.Metrics?

    /// Nothing measured.
    public init() {}

    /// How long a stage took; zero if it was not gone through.
    public subscript(stage: ImagePipeline.Stage) -> Duration {
      get { stages[stage] ?? .zero }
      set { stages[stage] = newValue }
    }
  }
}
