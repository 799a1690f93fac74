public import CalotypeImaging
public import CalotypeURLs

/// All facts that decide on a rendering.
public struct PlanRequest: Hashable, Sendable {
  /// The options of the URL.
  public var options: ProcessingOptions
  /// The header of the source.
  public var info: ImageInfo
  /// The header field `Accept` of the client.
  public var accept: AcceptHeader
  /// The client hints; ignored unless the policy uses them.
  public var hints: ClientHints
  /// The watermark that a URL or text of the options stands for; `nil` for that of the policy.
  public var watermark: WatermarkImage?
  /// The number of bytes of the source, if it is known.
  public var byteCount: Int?

  /// Collects the facts.
  public init(
    _ options: ProcessingOptions, of info: ImageInfo, accept: AcceptHeader = AcceptHeader(),
    hints: ClientHints = ClientHints(), watermark: WatermarkImage? = nil, byteCount: Int? = nil
  ) {
    self.options = options
    self.info = info
    self.accept = accept
    self.hints = hints
    self.watermark = watermark
    self.byteCount = byteCount
  }
}
