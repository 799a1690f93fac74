import CalotypeImaging
import CalotypeURLs

extension PixelOperation {
  /// The transforms of an operation on colours; none for others.
  var colorTransforms: [ImageTransform] {
    switch self {
    case .adjust(let brightness, let contrast, let saturation):
      var steps: [ImageTransform] = []
      if brightness != 0 {
        steps.append(.brightness((Double(brightness) / 255).limited(to: -1...1, orIfNaN: 0)))
      }
      if contrast != 1 { steps.append(.contrast(contrast.limited(to: 0...1000, orIfNaN: 1))) }
      if saturation != 1 { steps.append(.saturation(saturation.limited(to: 0...1000, orIfNaN: 1))) }
      return steps
    case .monochrome(let intensity, let color):
      return [Self.toned(intensity, RGBColor(red: 0, green: 0, blue: 0), color)]
    case .duotone(let intensity, let dark, let light): return [Self.toned(intensity, dark, light)]
    case .colorize(let opacity, let color, let keepsAlpha):
      return [.tint(PixelColor(color, alpha: opacity), mode: keepsAlpha ? .sourceAtop : .sourceOver)]
    default: return []
    }
  }

  /// Weights of red, green and blue in the luma of ITU-R BT.709.
  private static let luma = [0.2126, 0.7152, 0.0722]

  /// Returns a mix of the picture with one whose lightness runs from a colour to another.
  private static func toned(_ intensity: Double, _ dark: RGBColor, _ light: RGBColor) -> ImageTransform {
    let share = intensity.limited(to: 0...1, orIfNaN: 1)
    let ends = [(dark.red, light.red), (dark.green, light.green), (dark.blue, light.blue)]
      .map { (Double($0.0) / 255, Double($0.1) / 255) }
    var values: [Double] = []
    for (channel, end) in ends.enumerated() {
      for (source, weight) in luma.enumerated() {
        values.append(share * weight * (end.1 - end.0) + (source == channel ? 1 - share : 0))
      }
      values += [0, share * end.0]
    }
    return .colorMatrix(values + [0, 0, 0, 1, 0])
  }
}
