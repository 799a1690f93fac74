import FoundationEssentials

extension ISOMediaFile {
  /// Returns the description of the animation, or else of the primary picture.
  func info(_ bytes: RawSpan, limits: DecodeLimits) -> ImageInfo {
    let properties = track.map(\.properties) ?? graph?.properties ?? []
    let size = track?.size ?? graph?.primary.size ?? PixelSize(width: 0, height: 0)
    let geometry = PictureGeometry(size, by: properties, cropping: format == .heif && track == nil)
    var info = ImageInfo(
      format: format, size: geometry.part.size, hasAlpha: graph?.alpha != nil || alphaTrack != nil,
      bitDepth: Self.bitDepth(of: properties) ?? graph?.primary.bitDepth ?? 8,
      orientation: geometry.orientation,
      hasGainMap: graph?.hasGainMap ?? false)
    info.colorProfile = Self.profileName(properties, bytes, limits)
    info.dynamicRange = Self.dynamicRange(of: properties)
    info.layout = Self.layout(of: properties + inputProperties, hasAlpha: info.hasAlpha)
    if format == .heif, let graph {
      (info.layout.inflatedByteCount, info.layout.scatteredByteCount) = graph.decodingByteCounts(info)
    }
    if let track, track.table.samples.count > 1 {
      info.frameCount = track.table.samples.count
      info.loopCount = track.plays
      info.durations = track.durations
    }
    return info
  }

  /// The properties of the first input of a derived picture, whose codec is that of the picture.
  private var inputProperties: [ItemProperty] {
    guard track == nil, let graph, let first = graph.primary.inputs.first, let item = graph.table.items[first]
    else { return [] }
    return graph.table.properties(of: item)
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
