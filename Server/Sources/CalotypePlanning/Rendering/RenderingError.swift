/// A plan that cannot be carried out.
public enum RenderingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// CalotypeImaging has no such primitive.
  case missing(MissingPrimitive)
  /// The pixels of a watermark with this name are necessary.
  case noWatermark(id: String)
  /// The watermark could not be prepared, for the reason.
  case watermark(String)
  /// The format has no encoder.
  case noEncoder(String)

  /// The name of the case, which stays the same.
  public var code: String {
    switch self {
    case .missing: "missingPrimitive"
    case .noWatermark: "noWatermark"
    case .watermark: "watermark"
    case .noEncoder: "noEncoder"
    }
  }

  /// The fault and a remedy in one sentence.
  public var description: String {
    switch self {
    case .missing(let primitive): "\(primitive.rawValue) is not available; leave the option out"
    case .noWatermark(let id): "the watermark \(id) has no pixels; pass its bitmap"
    case .watermark(let reason): "the watermark cannot be prepared: \(reason); use another one"
    case .noEncoder(let format): "\(format) has no encoder; request another format"
    }
  }
}
