/// An error of probing, decoding, transforming or encoding an image.
@nonexhaustive public enum ImagingError: Error, Hashable, Sendable {
  /// The input is empty.
  case emptyInput
  /// The bytes are not an image of any known format. `hint` names their probable type ("HTML", "text"), if known.
  case unrecognizedFormat(hint: String?)
  /// The format is known, but no registered coder supports it, or this variant of it.
  case unsupportedFormat(ImageFormat, reason: String?)
  /// The bytes violate their format. `offset` is the position in bytes, if known.
  case corrupt(ImageFormat, reason: String, offset: Int?)
  /// The bytes end before the image does.
  case truncated(ImageFormat, byteCount: Int)
  /// A limit of ``DecodeLimits`` would be exceeded; nothing of that size was allocated.
  case limitExceeded(DecodeLimits.Kind, value: Int, limit: Int)
  /// A parameter of a transform or encoder is invalid.
  case invalidParameter(name: String, reason: String)
  /// The encoded image is too large: at the lowest quality it still has `byteCount` bytes.
  case cannotFit(byteCount: Int, limit: Int)
  /// The encoder failed.
  case encodingFailed(ImageFormat, reason: String)
  /// A custom step threw an error of another type.
  case transformFailed(name: String, reason: String)
  /// The system has no memory of that size.
  case outOfMemory(byteCount: Int)
  /// The task was cancelled during the call.
  case cancelled

  /// A stable, machine-readable name.
  public var code: String {
    switch self {
    case .emptyInput: "emptyInput"
    case .unrecognizedFormat: "unrecognizedFormat"
    case .unsupportedFormat: "unsupportedFormat"
    case .corrupt: "corrupt"
    case .truncated: "truncated"
    case .limitExceeded: "limitExceeded"
    case .invalidParameter: "invalidParameter"
    case .cannotFit: "cannotFit"
    case .encodingFailed: "encodingFailed"
    case .transformFailed: "transformFailed"
    case .outOfMemory: "outOfMemory"
    case .cancelled: "cancelled"
    }
  }

  /// A Boolean value that indicates whether the same call can succeed later. Only a lack of memory is temporary.
  public var isRetryable: Bool {
    if case .outOfMemory = self { true } else { false }
  }
}

extension ImagingError: CustomStringConvertible {
  /// One sentence that names the problem, its place and the remedy.
  public var description: String {
    switch self {
    case .emptyInput:
      return "the input is empty"
    case .unrecognizedFormat(let hint):
      return hint.map { "not an image: this is \($0)" } ?? "not an image of a known format"
    case .unsupportedFormat(let format, let reason):
      return reason.map { "\(format) is not supported here: \($0)" } ?? "no coder for \(format) is registered"
    case .corrupt(let format, let reason, let offset):
      return "damaged \(format): \(reason)" + (offset.map { " (at byte \($0))" } ?? "")
    case .truncated(let format, let byteCount):
      return "truncated \(format): the image does not end within its \(byteCount) bytes"
    case .limitExceeded(let kind, let value, let limit):
      return "\(kind.noun) \(value) exceeds the limit of \(limit); \(kind.advice)"
    case .invalidParameter(let name, let reason):
      return "invalid \(name): \(reason)"
    case .cannotFit(let byteCount, let limit):
      return "the encoded image has at least \(byteCount) bytes, \(limit) are allowed; make it smaller"
    case .encodingFailed(let format, let reason):
      return "cannot encode \(format): \(reason)"
    case .transformFailed(let name, let reason):
      return "the transform \(name) failed: \(reason)"
    case .outOfMemory(let byteCount):
      return "no memory for \(byteCount) bytes"
    case .cancelled:
      return "cancelled"
    }
  }
}

extension ImagingError {
  /// A Boolean value that indicates whether the input ends too early: more bytes may mend it.
  package var needsMoreBytes: Bool {
    switch self {
    case .emptyInput, .truncated: true
    default: false
    }
  }

  /// Whether the bytes are at fault, so that decoding them again would fail too.
  package var blamesInput: Bool {
    switch self {
    case .emptyInput, .unrecognizedFormat, .corrupt, .truncated: true
    case .unsupportedFormat, .limitExceeded, .invalidParameter, .cannotFit, .encodingFailed, .outOfMemory,
      .transformFailed, .cancelled:
      false
    }
  }
}
