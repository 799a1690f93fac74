import CalotypeImaging
import CalotypeURLs

extension DecodePlan {
  /// All decisions in one line.
  var decisions: String {
    var text = "decode \(page)+\(pages)"
    if appliesOrientation { text += " upright" }
    if let frames { text += " frames=\(frames)" }
    if let drawnSize { text += " drawn=\(drawnSize.decisions)" }
    if divisor > 1 { text += " divisor=\(divisor)" }
    if usesEmbeddedThumbnail { text += " thumbnail" }
    if keepsDepth { text += " deep" }
    if convertsToSRGB { text += " srgb" }
    if readsMetadata { text += " metadata" }
    // Last, and with its length: it is any text.
    if let style { text += " style=\(style.utf8.count):\(style)" }
    return text
  }
}

extension EncodePlan {
  /// All decisions in one line.
  var decisions: String {
    var text = "encode \(format.rawValue) \(effort.rawValue)"
    func add(_ name: String, _ value: (some Any)?) { if let value { text += " \(name)=\(value)" } }
    add("q", quality)
    add("auto", autoquality?.method?.rawValue)
    add("target", autoquality?.target)
    add("min", autoquality?.minQuality)
    add("max", autoquality?.maxQuality)
    add("error", autoquality?.allowedError)
    add("bytes", maxBytes)
    add("progressive", jpeg?.isProgressive)
    add("full", jpeg?.avoidsSubsampling)
    add("trellis", jpeg?.usesTrellisQuantization)
    add("deringing", jpeg?.usesOvershootDeringing)
    add("scans", jpeg?.optimizesScans)
    add("table", jpeg?.quantizationTable)
    add("interlaced", png?.isInterlaced)
    add("palette", png?.isQuantized)
    add("colors", png?.colors)
    add("compression", webp?.compression?.rawValue)
    add("sharp", webp?.usesSmartSubsampling)
    add("preset", webp?.preset?.rawValue)
    add("subsampling", avif?.subsampling?.rawValue)
    if stripsMetadata { text += " stripped" }
    if keepsCopyright { text += " copyright" }
    if keepsColorProfile { text += " profile" }
    add("dpi", dpi)
    // Last, and with its length: it is any text.
    if let colorProfile { text += " icc=\(colorProfile.utf8.count):\(colorProfile)" }
    return text
  }
}
