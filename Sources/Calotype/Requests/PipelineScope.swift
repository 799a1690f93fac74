import CalotypeImaging
import CalotypeLoading

/// The parts of a pipeline that influence the bytes of its requests beyond the requests themselves.
///
/// The usual pipeline has none, so that the keys of a request are made once for all pipelines.
struct PipelineScope: Hashable, Sendable {
  let loader: LoaderScope?
  /// The `Accept` field; `nil` for that of the standard coders.
  let accept: Accept?

  struct Accept: Hashable, Sendable {
    /// The value; `nil` leaves it to the loader.
    let value: String?
    /// Whether coders of a request have a field of their own.
    let followsCoders: Bool
  }

  init?(loader: any ImageLoading, coders: CoderRegistry, accept field: ImagePipeline.AcceptField) {
    self.loader = LoaderScope(loader)
    switch field {
    case .decodableFormats:
      let value = ImagePipeline.AcceptField.text(for: coders)
      let isStandard = value == ImagePipeline.AcceptField.standard
      accept = isStandard ? nil : Accept(value: value, followsCoders: true)
    case .loader: accept = Accept(value: nil, followsCoders: false)
    case .value(let value): accept = Accept(value: value, followsCoders: false)
    }
    if self.loader == nil, accept == nil { return nil }
  }
}
