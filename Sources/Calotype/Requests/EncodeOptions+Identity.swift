import CalotypeImaging

extension EncodeOptions {
  /// The options in the key of a stored result. Those besides format, quality and losslessness are left out where they
  /// have their defaults.
  var identity: String {
    let plain = EncodeOptions(format: format, quality: quality, isLossless: isLossless)
    var text = "\(format) \(quality) \(isLossless)"
    if self == plain { return text }
    func add(_ name: String, _ option: KeyPath<EncodeOptions, some Equatable>) {
      let value = self[keyPath: option]
      if value != plain[keyPath: option] { text += " \(name)=\(value)" }
    }
    add("target", \.qualityTarget?.description)
    add("effort", \.effort.rawValue)
    add("progressive", \.isProgressive)
    add("subsampling", \.subsampling.rawValue)
    add("jpegTables", \.jpegTables.rawValue)
    add("alphaQuality", \.alphaQuality)
    add("sharpYUV", \.usesSharpYUV)
    add("palette", \.usesPalette)
    add("paletteSize", \.paletteSize)
    add("clearsHiddenColors", \.clearsHiddenColors)
    add("interlaced", \.isInterlaced)
    add("nearLossless", \.nearLosslessQuality)
    add("content", \.content.rawValue)
    add("dithers", \.dithers)
    add("background", \.background.hex)
    add("maxFileSize", \.maxFileSize)
    add("requiresMaxFileSize", \.requiresMaxFileSize)
    add("maxPixelSize", \.maxPixelSize)
    if !keeps.isEmpty { text += " keeps=" + keeps.map { "\($0)" }.sorted().joined(separator: ",") }
    for (name, value) in extras.sorted(by: { $0.key < $1.key }) {
      text += " \(name.debugDescription)=\(value.debugDescription)"
    }
    return text
  }
}
