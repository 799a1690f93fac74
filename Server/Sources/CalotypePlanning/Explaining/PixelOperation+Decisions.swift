import CalotypeImaging
import CalotypeURLs

extension PixelOperation {
  /// All numbers of the operation as text, which stays the same between runs and processes: `crop 10,20 300x200`.
  ///
  /// Operations are equal if and only if their decisions are.
  var decisions: String {
    switch self {
    case .trim(let trim):
      "trim \(trim.threshold) \(trim.color?.hex ?? "corner") \(trim.corner.rawValue)"
        + (trim.isEqualHorizontally ? " h" : "") + (trim.isEqualVertically ? " v" : "")
    case .crop(let region): "crop \(region.decisions)"
    case .smartCrop(let size): "smart \(size.decisions)"
    case .scale(let scale):
      "scale \(scale.size.decisions) \(scale.kernel.rawValue)" + (scale.isLinear ? " linear" : "")
    case .rotate(let quarters): "rotate \(quarters)"
    case .flip(let horizontally, let vertically): "flip \(horizontally ? 1 : 0)\(vertically ? 1 : 0)"
    case .blurAreas(let areas, let sigma):
      "blur \(sigma) in " + areas.map(\.decisions).joined(separator: ";")
    case .blur(let sigma): "blur \(sigma)"
    case .progressiveBlur(let sigma, let ramp): "blur \(sigma) along \(ramp.decisions)"
    case .sharpen(let sigma): "sharpen \(sigma)"
    case .unsharpMask(let weight, let divider): "unsharp \(weight) \(divider)"
    case .pixelate(let side): "pixelate \(side)"
    case .adjust(let brightness, let contrast, let saturation):
      "adjust \(brightness) \(contrast) \(saturation)"
    case .monochrome(let intensity, let color): "monochrome \(intensity) \(color.hex)"
    case .duotone(let intensity, let dark, let light): "duotone \(intensity) \(dark.hex) \(light.hex)"
    case .colorize(let opacity, let color, let keepsAlpha):
      "colorize \(opacity) \(color.hex)" + (keepsAlpha ? " atop" : "")
    case .gradient(let opacity, let color, let ramp): "gradient \(opacity) \(color.hex) \(ramp.decisions)"
    case .canvas(let canvas): "canvas \(canvas.size.decisions) \(canvas.origin.decisions)"
    case .flatten(let color, let alpha): "flatten \(color.hex) \(alpha)"
    case .watermark(let mark):
      "watermark \(mark.size.decisions) \(mark.degrees) \(mark.shadow) \(mark.opacity) "
        + "\(mark.placement.decisions) \(mark.id)"
    }
  }
}

extension RampOperation {
  fileprivate var decisions: String { "\(degrees) \(start) \(stop)" }
}

extension WatermarkOperation.Placement {
  fileprivate var decisions: String {
    switch self {
    case .single(let point): "at \(point.decisions)"
    case .tiled(let origin, let period): "tiled \(origin.decisions) \(period.decisions)"
    case .chessboard(let origin, let period): "chess \(origin.decisions) \(period.decisions)"
    }
  }
}
