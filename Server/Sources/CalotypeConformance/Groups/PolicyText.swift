import CalotypePlanning
import CalotypeURLs

/// Settings as vectors write them: `AUTO_WEBP=1`, `AUTO_WEBP+AVIF`, `ENFORCE_JXL`, `SKIP=png`, `ALWAYS_RASTERIZE_SVG`.
enum PolicyText {
  static func policy(_ text: Substring) -> PlanningPolicy {
    var policy = PlanningPolicy()
    let lower = text.lowercased()
    policy.usesClientHints = lower.contains("hints") && !lower.contains("hints off")
    for word in text.split(whereSeparator: { " ;".contains($0) }).map({ $0.trimmed(of: ",") }) {
      let name = word.prefix(before: "=")
      let value = word.dropFirst(name.count + 1)
      guard value != "0" else { continue }
      if name.hasPrefix("AUTO_") { policy.automaticFormats.formUnion(formats(name.dropFirst(5))) }
      if name.hasPrefix("ENFORCE_") { policy.enforcedFormats.formUnion(formats(name.dropFirst(8))) }
      switch name {
      case "ALWAYS_RASTERIZE_SVG": policy.alwaysRasterizesDrawings = true
      case "SKIP", "SKIP_PROCESSING_FORMATS": policy.skippedFormats = Set(formats(value))
      case "PREFERRED", "PREFERRED_FORMATS": policy.preferredFormats = formats(value)
      default: break
      }
    }
    return policy
  }

  private static func formats(_ text: Substring) -> [RequestedFormat] {
    text.split(whereSeparator: { "+,/|".contains($0) }).compactMap { RequestedFormat(name: $0.lowercased()) }
  }
}
