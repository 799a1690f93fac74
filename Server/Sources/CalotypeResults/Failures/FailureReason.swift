/// The reason of a response that is no image.
public enum FailureReason: String, Hashable, Sendable, CaseIterable {
  // The request.
  /// No route has the path.
  case notRouted
  /// The method is none of those of the path.
  case methodNotAllowed
  /// The path or an option cannot be read.
  case invalidURL
  /// The moment of `expires` has passed.
  case expired
  /// The signature does not belong to the URL.
  case invalidSignature
  /// An option stands where the signature belongs.
  case missingSignature
  /// The bearer token is missing or wrong.
  case unauthorized
  /// An option that loosens limits is not allowed.
  case securityOption

  // The source.
  /// The URL, address or redirect of the source is not allowed.
  case sourceRefused
  /// No connection, no known scheme, too many redirects, or a part of the source alone.
  case sourceUnreachable
  /// The origin answers with an error.
  case sourceStatus
  /// The origin does not answer in time.
  case sourceTimeout
  /// The body of the source ends early.
  case sourceIncomplete
  /// The source has more bytes, pixels or frames than allowed.
  case sourceTooLarge
  /// The source is of no known format, or of one that cannot be decoded.
  case unsupportedSource
  /// The source is damaged.
  case undecodable
  /// The source has another digest than the request says.
  case hashMismatch

  // The result.
  /// The format of the result cannot be encoded, or not from this source.
  case unwritableFormat
  /// The work needs more memory than the server has for it.
  case tooLarge

  // The server.
  /// The configured number of requests waits already.
  case queueFull
  /// The result could not be made in time, so that the work is not begun.
  case overloaded
  /// The time of the request is over.
  case timeout
  /// The client is gone.
  case cancelled
  /// The server shuts down.
  case shuttingDown
  /// A cache, or a tier that nodes share, does not answer.
  case storageUnavailable
  /// A fault of the server.
  case `internal`
}
