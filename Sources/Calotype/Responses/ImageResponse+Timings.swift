public import CalotypeLoading

extension ImagePipeline {
  /// A stage of producing an image.
  public enum Stage: String, Hashable, Sendable, CaseIterable {
    /// Reading results and originals from disk caches.
    case read
    /// Loading the original.
    case load
    /// Waiting for a turn to decode.
    case wait
    /// Decoding, downsampling and transforming in one pass.
    case decode
    /// Transforming the results of other jobs.
    case transform
    /// Encoding the result for the disk.
    case encode
    /// Writing results and originals.
    case store
  }
}

extension ImageResponse {
  /// The durations of the stages of one image.
  public struct Timings: Hashable, Sendable {
    /// The completed stages.
    public var stages: [ImagePipeline.Stage: Duration] = [:]
    /// The measurements of the loader; `nil` when nothing was loaded for this image, or the loader does not
    /// measure.
    public var load: LoadResponse.Metrics?

    /// Creates empty timings.
    public init() {}

    /// Returns the duration of a stage; zero if it was skipped.
    public subscript(stage: ImagePipeline.Stage) -> Duration {
      get { stages[stage] ?? .zero }
      set { stages[stage] = newValue }
    }
  }
}
