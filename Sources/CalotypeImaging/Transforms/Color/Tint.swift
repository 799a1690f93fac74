extension Transforms {
  /// A blend of a picture with one colour.
  ///
  /// All modes are one sum per sample of straight colours: the blended colours of opaque pixels, and the tint, which
  /// alone is visible where the picture is transparent.
  public struct Tint: ImageTransforming, ColorTransforming, Hashable, Sendable {
    /// The colour; its alpha is the strength.
    public var color: PixelColor
    /// How it is laid on the picture.
    public var mode: Transforms.BlendMode

    /// Creates the step. As it stands, all of the picture takes the colour, and only its shape is left.
    public init(_ color: PixelColor, mode: Transforms.BlendMode = .sourceIn) {
      self.color = color
      self.mode = mode
    }

    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      color = try arguments.required(try arguments.color("color"), "color")
      mode = try arguments.choice("mode") ?? .sourceIn
      try arguments.finish()
    }

    /// `tint:COLOR,mode=MODE`
    public var identity: String { "tint:\(color.hex),mode=\(mode.rawValue)" }

    var operation: ColorOperation {
      let alpha = Double(color.alpha) / 255
      let mode = mode
      let tint = [color.red, color.green, color.blue].map { Double($0) / 255 }
      /// Returns the new value of a sample of an opaque pixel.
      func opaque(_ channel: Int, _ value: Double) -> Double {
        switch mode {
        case .sourceIn, .sourceOut: tint[channel] * 255
        case .destinationOver, .destinationIn, .destinationOut, .destinationAtop, .xor: value
        default: (1 - alpha) * value + alpha * mode.blend(value / 255, tint[channel]) * 255
        }
      }
      func newAlpha(_ backdrop: Double) -> Double { mode.alpha(backdrop: backdrop, source: alpha) }
      switch mode {
      case .sourceIn, .sourceOut, .sourceAtop, .destinationIn, .destinationOut:
        return .tables(
          ColorTables { channel, value in
            channel < 3 ? opaque(channel, value) : newAlpha(value / 255) * 255
          })
      default:
        // Where the picture is transparent, only the tint is visible: its part of the alpha of the result.
        return .mixture(
          ColorMixture(color: color, opaque: opaque) { backdrop in
            let all = newAlpha(backdrop)
            return all > 0 ? alpha * (1 - backdrop) / all : 0
          } alpha: {
            newAlpha($0)
          })
      }
    }
  }
}

extension ImageTransform {
  /// Lays one colour on a picture; as it stands, all of the picture takes the colour.
  public static func tint(_ color: PixelColor, mode: Transforms.BlendMode = .sourceIn) -> ImageTransform {
    ImageTransform(Transforms.Tint(color, mode: mode))
  }
}
