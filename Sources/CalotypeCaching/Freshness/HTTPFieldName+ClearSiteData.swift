import HTTPTypes

extension HTTPField.Name {
  /// `Clear-Site-Data` (W3C Clear Site Data), which has no constant in HTTPTypes. It is a valid name, so the fallback is
  /// never used.
  static let clearSiteData = HTTPField.Name("Clear-Site-Data") ?? .cacheControl
}
