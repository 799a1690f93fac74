import FoundationEssentials

extension ISOMediaFile {
  /// Returns the description of the animation, or else of the primary picture.
  func info(_ bytes: RawSpan, limits: DecodeLimits) -> ImageInfo {
    let properties = track.map(\.properties) ?? graph?.properties ?? []
    let turned = Self.turned(
      track?.size ?? graph?.primary.size ?? PixelSize(width: 0, height: 0),
      by: properties,
      cropping: format == .heif && track == nil)
    var info = ImageInfo(
      format: format, size: turned.size, hasAlpha: graph?.alpha != nil || alphaTrack != nil,
      bitDepth: Self.bitDepth(of: properties) ?? graph?.primary.bitDepth ?? 8,
      orientation: turned.orientation,
      hasGainMap: graph?.hasGainMap ?? false)
    info.colorProfile = Self.profileName(properties, bytes, limits)
    info.dynamicRange = Self.dynamicRange(of: properties)
    info.layout = Self.layout(of: properties, hasAlpha: info.hasAlpha)
    if let track, track.table.samples.count > 1 {
      info.frameCount = track.table.samples.count
      info.loopCount = track.plays
      info.durations = track.durations
    }
    return info
  }

  /// Applies transformations in their order.
  private static func turned(
    _ size: PixelSize, by properties: [ItemProperty], cropping: Bool
  ) -> (size: PixelSize, orientation: Orientation) {
    var turns = PictureTurns()
    var size = size
    for property in properties {
      switch property {
      case .rotation(let quarters): turns.rotate(quarters: quarters)
      case .mirror(let leftRight): turns.mirror(leftRight: leftRight)
      case .aperture(let aperture) where cropping:
        // The size stays that before rotation.
        let picture = turns.swapsAxes ? size.transposed : size
        if let part = aperture.size(within: picture) { size = turns.swapsAxes ? part.transposed : part }
      default: break
      }
    }
    return (size, turns.orientation)
  }

  private static func bitDepth(of properties: [ItemProperty]) -> Int? {
    for case .codec(let codec) in properties {
      if let depth = codec.bitDepth { return depth }
    }
    return nil
  }

  private static func layout(of properties: [ItemProperty], hasAlpha: Bool) -> ImageInfo.Layout {
    var layout = ImageInfo.Layout()
    layout.isKnown = true
    for property in properties {
      switch property {
      case .codec(let codec): layout.samplesPerPixel = codec.samplesPerPixel
      case .profile: layout.hasProfile = true
      case .codePoints(let points): layout.hasProfile = layout.hasProfile || points.primaries != 1
      default: break
      }
    }
    if hasAlpha { layout.samplesPerPixel += 1 }
    return layout
  }

  private static func profileName(
    _ properties: [ItemProperty], _ bytes: RawSpan, _ limits: DecodeLimits
  ) -> String? {
    for case .profile(let range) in properties {
      guard range.count <= limits.maxChunkBytes, range.upperBound <= bytes.byteCount else { return nil }
      return ICCProfile.description(of: bytes.extracting(range).copy())
    }
    return nil
  }

  private static func dynamicRange(of properties: [ItemProperty]) -> ImageInfo.DynamicRange {
    for case .codePoints(let points) in properties {
      // Transfer characteristics of ITU-T H.273.
      switch points.transfer {
      case 16: return .pq
      case 18: return .hlg
      default: break
      }
    }
    return .standard
  }
}
