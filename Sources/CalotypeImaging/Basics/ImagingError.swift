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
  /// The decoder crashed in the process that was to decode the image in a sandbox; `signal` is the number of the signal,
  /// such as 11 for a wrong address. The input is not tried again for ten minutes.
  case decoderCrashed(ImageFormat, signal: Int)
  /// The process that was to decode the image in a sandbox attempted what it is denied, or replied what cannot be true: the
  /// input may be an attack. `systemCall` is the number of a denied system call, if it is known.
  case sandboxViolation(reason: String, systemCall: Int?)
  /// No process can decode in a sandbox. `retryAfter` is the time after which one may: workers are busy, or too many have
  /// died. It is `nil` if the machine or the program has no means for one, so that a retry is in vain.
  case sandboxUnavailable(reason: String, retryAfter: Duration?)
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
    case .decoderCrashed: "decoderCrashed"
    case .sandboxViolation: "sandboxViolation"
    case .sandboxUnavailable: "sandboxUnavailable"
    case .cancelled: "cancelled"
    }
  }

  /// A Boolean value that indicates whether the same call can succeed later: a lack of memory is temporary, and so is that of
  /// a sandbox on a machine that has the means for one.
  public var isRetryable: Bool {
    switch self {
    case .outOfMemory: true
    case .sandboxUnavailable(_, let retryAfter): retryAfter != nil
    default: false
    }
  }

  /// The time after which a retry is worthwhile, in whole seconds, if it is known.
  public var retryAfter: Duration? {
    if case .sandboxUnavailable(_, let retryAfter) = self { retryAfter } else { nil }
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
    case .decoderCrashed(let format, let signal):
      return "the decoder of \(format) crashed in its sandbox (signal \(signal)); nothing else is affected"
    case .sandboxViolation(let reason, let call):
      return "the decoder broke the rules of its sandbox: \(reason)" + (call.map { " (\($0))" } ?? "")
    case .sandboxUnavailable(let reason, nil):
      return "there is no sandbox to decode in: \(reason); `calotype sandbox check` tells more"
    case .sandboxUnavailable(let reason, let retryAfter?):
      return "no sandbox is free to decode in: \(reason); try again in \(retryAfter)"
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
    case .emptyInput, .unrecognizedFormat, .corrupt, .truncated, .decoderCrashed, .sandboxViolation: true
    case .sandboxUnavailable, .unsupportedFormat, .limitExceeded, .invalidParameter, .cannotFit,
      .encodingFailed, .outOfMemory,
      .transformFailed, .cancelled:
      false
    }
  }
}
