import CalotypeURLs

/// Options in the notation of vectors.
struct OptionText {
  private let options: ProcessingOptions
  /// The name of the option that was read.
  private let name: String

  /// Describes options, for the first option of a text.
  init(_ options: ProcessingOptions, of text: String) {
    self.options = options
    name = text.prefix(before: ":,")
  }

  /// Returns true if a word has this value; words that are no properties are remarks.
  func has(_ key: String, _ value: String) -> Bool {
    guard let found = self[key] else { return false }
    let value = value.trimmed(of: ",;")
    if let (first, second) = Double(found).flatMap({ first in Double(value).map { (first, $0) } }) {
      return first == second
    }
    return found == value
  }

  /// The value of a word; `nil` for remarks.
  subscript(key: String) -> String? {
    let stage = options.stages[0]
    switch key {
    case "format": return options.format?.rawValue
    case "type": return stage.resizingType?.rawValue
    case "width": return stage.width.map(String.init) ?? stage.crop.map { "\($0.width)" }
    case "height": return stage.height.map(String.init) ?? stage.crop.map { "\($0.height)" }
    case "min_width": return stage.minWidth.map(String.init)
    case "min_height": return stage.minHeight.map(String.init)
    case "enlarge": return stage.enlarges.map { "\($0)" }
    case "extend": return (stage.extend ?? stage.extendAspectRatio).map { "\($0.isEnabled)" }
    case "quality": return options.quality.map(String.init)
    case "dpr": return stage.dpr.map { "\($0)" }
    case "blur": return stage.blur.map { "\($0)" }
    case "sharpen": return stage.sharpen.map { "\($0)" }
    case "pixelate": return stage.pixelate.map(String.init)
    case "strip", "strip_metadata": return options.stripsMetadata.map { "\($0)" }
    case "preserve_hdr": return options.preservesHDR.map { "\($0)" }
    case "keep_copyright": return options.keepsCopyright.map { "\($0)" }
    case "strip_color_profile": return options.stripsColorProfile.map { "\($0)" }
    case "enforce_thumbnail": return options.enforcesThumbnail.map { "\($0)" }
    case "auto_rotate": return stage.autoRotates.map { "\($0)" }
    case "rotate": return stage.rotation.map(String.init)
    case "raw": return options.raw.map { "\($0)" }
    case "attachment", "return_attachment": return options.returnsAttachment.map { "\($0)" }
    case "expires": return options.expires.map(String.init)
    case "threshold": return stage.trim?.threshold.map { "\($0)" }
    case "cachebuster": return options.cachebuster
    case "filename": return options.filename
    case "max_bytes": return options.maxBytes.map(String.init)
    default: return place(key)
    }
  }

  private func place(_ key: String) -> String? {
    let stage = options.stages[0]
    let watermark = stage.watermark
    let isWatermark = name == "watermark" || name == "wm"
    let gravity =
      switch name {
      case "extend", "ex": stage.extend?.gravity
      case "extend_aspect_ratio", "extend_ar", "exar": stage.extendAspectRatio?.gravity
      case "crop", "c": stage.crop?.gravity
      case "size", "s", "resize", "rs": stage.extend?.gravity ?? stage.gravity
      default: stage.gravity
      }
    switch key {
    case "gravity":
      switch gravity?.kind {
      case .compass(let compass): return compass.rawValue
      case .smart: return "sm"
      case .focusPoint: return "fp"
      default: return nil
      }
    case "x": return "\((isWatermark ? watermark?.x : gravity?.x) ?? 0)"
    case "y": return "\((isWatermark ? watermark?.y : gravity?.y) ?? 0)"
    case "opacity": return watermark.map { "\($0.opacity)" }
    case "pos":
      switch watermark?.position {
      case .compass(let compass): return compass.rawValue
      case .tiled: return "re"
      default: return nil
      }
    case "scale": return watermark?.scale.map { "\($0)" }
    default: return nil
    }
  }
}
