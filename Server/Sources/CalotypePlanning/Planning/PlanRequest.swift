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
  /// The watermarks that URLs and texts of the options stand for.
  public var watermarks: [OwnWatermark: WatermarkImage]
  /// The number of bytes of the source, if it is known.
  public var byteCount: Int?

  /// Collects the facts.
  public init(
    _ options: ProcessingOptions, of info: ImageInfo, accept: AcceptHeader = AcceptHeader(),
    hints: ClientHints = ClientHints(), watermarks: [OwnWatermark: WatermarkImage] = [:],
    byteCount: Int? = nil
  ) {
    self.options = options
    self.info = info
    self.accept = accept
    self.hints = hints
    self.watermarks = watermarks
    self.byteCount = byteCount
  }
}
