extension Transforms {
  /// How a colour (the source) is laid on a picture (the backdrop): the operators of Porter and Duff 1984 and the blend
  /// modes of Compositing and Blending Level 1 of the W3C, which composite source-over.
  public enum BlendMode: String, Hashable, Sendable, CaseIterable {
    /// The source where the picture is.
    case sourceIn
    /// The source on the picture.
    case sourceOver
    /// The source on the picture, and nothing outside of it.
    case sourceAtop
    /// The source where the picture is not.
    case sourceOut
    /// The picture on the source.
    case destinationOver
    /// The picture where the source is.
    case destinationIn
    /// The picture where the source is not.
    case destinationOut
    /// The picture on the source, and nothing outside of that.
    case destinationAtop
    /// Either, but not where both are.
    case xor
    /// The product: never lighter than either.
    case multiply
    /// The product of the complements: never darker than either.
    case screen
    /// ``multiply`` or ``screen``, as the picture is dark or light.
    case overlay
    /// The darker of both.
    case darken
    /// The lighter of both.
    case lighten
    /// The picture, brightened by the source.
    case colorDodge
    /// The picture, darkened by the source.
    case colorBurn
    /// ``multiply`` or ``screen``, as the source is dark or light.
    case hardLight
    /// ``hardLight``, but softer.
    case softLight
    /// The darker taken from the lighter.
    case difference
    /// ``difference`` with less contrast.
    case exclusion

    /// What becomes of the colours where both are opaque, for a mode that composites source-over: B(Cb, Cs) of the
    /// specification, samples from 0 to 1. The source itself for the plain operators.
    func blend(_ backdrop: Double, _ source: Double) -> Double {
      switch self {
      case .multiply: return backdrop * source
      case .screen: return backdrop + source - backdrop * source
      case .overlay: return Transforms.BlendMode.hardLight.blend(source, backdrop)
      case .darken: return min(backdrop, source)
      case .lighten: return max(backdrop, source)
      case .colorDodge: return backdrop == 0 ? 0 : source == 1 ? 1 : min(1, backdrop / (1 - source))
      case .colorBurn: return backdrop == 1 ? 1 : source == 0 ? 0 : 1 - min(1, (1 - backdrop) / source)
      case .hardLight:
        return source <= 0.5
          ? backdrop * (2 * source) : Transforms.BlendMode.screen.blend(backdrop, 2 * source - 1)
      case .softLight:
        if source <= 0.5 { return backdrop - (1 - 2 * source) * backdrop * (1 - backdrop) }
        let lifted =
          backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : backdrop.squareRoot()
        return backdrop + (2 * source - 1) * (lifted - backdrop)
      case .difference: return abs(backdrop - source)
      case .exclusion: return backdrop + source - 2 * backdrop * source
      case .sourceIn, .sourceOver, .sourceAtop, .sourceOut, .destinationOver, .destinationIn, .destinationOut,
        .destinationAtop, .xor:
        return source
      }
    }

    /// The alpha of the result.
    func alpha(backdrop: Double, source: Double) -> Double {
      switch self {
      case .sourceIn, .destinationIn: source * backdrop
      case .sourceAtop: backdrop
      case .sourceOut: source * (1 - backdrop)
      case .destinationOut: backdrop * (1 - source)
      case .destinationAtop: source
      case .xor: source * (1 - backdrop) + backdrop * (1 - source)
      case .sourceOver, .destinationOver, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge,
        .colorBurn, .hardLight, .softLight, .difference, .exclusion:
        source + backdrop * (1 - source)
      }
    }
  }
}
