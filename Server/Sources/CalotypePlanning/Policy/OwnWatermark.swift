public import CalotypeURLs

/// A watermark that the options of a URL name in place of that of the server.
public enum OwnWatermark: Hashable, Sendable {
  /// The image at a URL.
  case url(String)
  /// Text with Pango markup.
  case text(String)
}

extension ProcessingStage {
  /// The watermark that the stage draws in place of that of the server; `nil` if it draws none, or that of the server. Text
  /// takes the place of a URL.
  public var ownWatermark: OwnWatermark? {
    guard let watermark, watermark.opacity > 0 else { return nil }
    if let watermarkText, !watermarkText.isEmpty { return .text(watermarkText) }
    if let watermarkURL, !watermarkURL.isEmpty { return .url(watermarkURL) }
    return nil
  }
}
