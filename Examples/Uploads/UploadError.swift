import Calotype

/// An upload that was refused, or that failed. ``status`` is the status of the response.
enum UploadError: Error {
  /// The body has more bytes than allowed.
  case tooLarge(limit: Int)
  /// The body is an image of a format that is not allowed.
  case formatNotAllowed(ImageFormat)
  /// The body is an animation.
  case animated(frameCount: Int)
  /// The image is damaged, and only a part of it could be recovered.
  case damaged
  /// The body broke off: the client has left.
  case bodyFailed
  /// Errors of the library: no image, too many pixels, a crash in the sandbox, too much to do …
  case image(any CalotypeError)
  /// The files cannot be written.
  case notStored

  /// The status of an HTTP response (RFC 9110 §15).
  var status: Int {
    switch self {
    case .tooLarge: 413
    case .formatNotAllowed: 415
    case .animated, .damaged: 422
    case .bodyFailed: 400
    case .image(let error): error.gatewayStatus  // 413, 415, 422; 503 when the server is busy
    case .notStored: 500
    }
  }

  /// The seconds for the field `Retry-After`, with a status of 503.
  var retryAfter: Int64? {
    guard case .image(let error) = self else { return nil }
    return error.retryAfter?.components.seconds
  }

  /// A sentence for the client.
  var message: String {
    switch self {
    case .tooLarge(let limit): "the upload is larger than \(limit) bytes"
    case .formatNotAllowed(let format): "\(format) is not accepted"
    case .animated(let count): "the upload is an animation of \(count) frames"
    case .damaged: "the image is damaged"
    case .bodyFailed: "the upload is incomplete"
    case .image(let error): "\(error)"
    case .notStored: "the upload cannot be stored"
    }
  }
}
