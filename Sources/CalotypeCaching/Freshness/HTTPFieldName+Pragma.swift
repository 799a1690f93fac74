package import HTTPTypes

extension HTTPField.Name {
  /// `Pragma` (RFC 9111 §5.4), which is deprecated and has no constant in HTTPTypes. It is a valid name, so the
  /// fallback is never used.
  package static let pragma = HTTPField.Name("Pragma") ?? .cacheControl
}
