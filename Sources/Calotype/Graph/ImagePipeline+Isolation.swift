import CalotypeImaging
import CalotypeIsolation

extension ImagePipeline.Configuration {
  /// The configuration with decoders that run in the place of ``decoding``.
  var isolated: ImagePipeline.Configuration {
    guard let sandboxed = decoding.configuration else { return self }
    var isolated = self
    let service = DecodingSandbox(sandboxed, fallback: coders)
    isolated.sandbox = service
    isolated.coders = coders.isolated(by: service)
    return isolated
  }

  /// Returns coders of a request, which run in the same place.
  func isolated(_ coders: CoderRegistry) -> CoderRegistry {
    sandbox.map { coders.isolated(by: $0) } ?? coders
  }
}
