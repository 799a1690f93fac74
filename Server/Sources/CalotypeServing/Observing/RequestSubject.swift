/// The image that a request is for, as logs name it.
public struct RequestSubject: Hashable, Sendable {
  /// The beginning of the identity of the result; `POST /purge?identity=…` takes the whole of it.
  public let identity: String
  /// The host of the source, or `local`.
  public let sourceHost: String
}
