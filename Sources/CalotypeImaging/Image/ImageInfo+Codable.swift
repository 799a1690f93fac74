extension ImageInfo: Codable {
  private enum CodingKeys: String, CodingKey {
    case format, size, frameCount, loopCount, durations, hasAlpha, bitDepth, orientation, colorProfile,
      pageCount, hasGainMap, isVector, dynamicRange, isDamaged
  }

  /// Reads a description, also one that was written before there were pages, gain maps, drawings and dynamic ranges.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      format: try values.decode(ImageFormat.self, forKey: .format),
      size: try values.decode(PixelSize.self, forKey: .size),
      frameCount: try values.decode(Int.self, forKey: .frameCount),
      loopCount: try values.decode(Int.self, forKey: .loopCount),
      durations: try values.decode([Duration].self, forKey: .durations),
      hasAlpha: try values.decode(Bool.self, forKey: .hasAlpha),
      bitDepth: try values.decode(Int.self, forKey: .bitDepth),
      orientation: try values.decode(Orientation.self, forKey: .orientation),
      colorProfile: try values.decodeIfPresent(String.self, forKey: .colorProfile),
      pageCount: try values.decodeIfPresent(Int.self, forKey: .pageCount) ?? 1,
      hasGainMap: try values.decodeIfPresent(Bool.self, forKey: .hasGainMap) ?? false,
      isVector: try values.decodeIfPresent(Bool.self, forKey: .isVector) ?? false,
      dynamicRange: try values.decodeIfPresent(DynamicRange.self, forKey: .dynamicRange) ?? .standard,
      isDamaged: try values.decode(Bool.self, forKey: .isDamaged))
  }

  /// Writes a description.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(format, forKey: .format)
    try values.encode(size, forKey: .size)
    try values.encode(frameCount, forKey: .frameCount)
    try values.encode(loopCount, forKey: .loopCount)
    try values.encode(durations, forKey: .durations)
    try values.encode(hasAlpha, forKey: .hasAlpha)
    try values.encode(bitDepth, forKey: .bitDepth)
    try values.encode(orientation, forKey: .orientation)
    try values.encodeIfPresent(colorProfile, forKey: .colorProfile)
    try values.encode(pageCount, forKey: .pageCount)
    try values.encode(hasGainMap, forKey: .hasGainMap)
    try values.encode(isVector, forKey: .isVector)
    try values.encode(dynamicRange, forKey: .dynamicRange)
    try values.encode(isDamaged, forKey: .isDamaged)
  }
}
