import CalotypeCaching
import CalotypeImaging

/// The information about the original, stored with a result: the result's own header describes only the
/// small copy.
extension ImageInfo {
  private static let key = "source"

  func store(in metadata: inout RecordMetadata) {
    var fields: [String] = [
      format.rawValue, String(size.width), String(size.height), String(frameCount), String(loopCount),
      hasAlpha ? "alpha" : "opaque", String(bitDepth), String(orientation.rawValue),
    ]
    // Records of ordinary images stay readable for earlier versions.
    if pageCount != 1 { fields.append("pages=\(pageCount)") }
    if hasGainMap { fields.append("gainMap") }
    if isVector { fields.append("vector") }
    if dynamicRange != .standard { fields.append("range=\(dynamicRange.rawValue)") }
    metadata.user[Self.key] = fields.joined(separator: " ")
  }

  init?(stored metadata: RecordMetadata) {
    guard let fields = metadata.user[Self.key]?.split(separator: " "), fields.count >= 8,
      let width = Int(fields[1]), let height = Int(fields[2]), let frames = Int(fields[3]),
      let loops = Int(fields[4]), let depth = Int(fields[6]),
      let orientation = Int(fields[7]).flatMap(Orientation.init(rawValue:))
    else { return nil }
    self.init(
      format: ImageFormat(rawValue: String(fields[0])), size: PixelSize(width: width, height: height),
      frameCount: frames, loopCount: loops, hasAlpha: fields[5] == "alpha", bitDepth: depth,
      orientation: orientation)
    for field in fields.dropFirst(8) {
      let parts = field.split(separator: "=", maxSplits: 1)
      switch (parts.first, parts.dropFirst().first) {
      case ("pages", let count?): pageCount = Int(count) ?? pageCount
      case ("gainMap", nil): hasGainMap = true
      case ("vector", nil): isVector = true
      case ("range", let name?): dynamicRange = DynamicRange(rawValue: String(name)) ?? dynamicRange
      default: break
      }
    }
  }
}
