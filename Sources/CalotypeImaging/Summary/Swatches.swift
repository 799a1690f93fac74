import Glibc

/// Six colours of a picture for an interface around it: strong and quiet ones, each light, normal and dark.
///
/// A colour is `nil` if no part of the picture is like it. The choice follows the targets of Android's Palette: the best of the
/// picture's colours by saturation, lightness and share.
public struct Swatches: Hashable, Sendable {
  /// A strong colour of medium lightness.
  public var vibrant: PixelColor?
  /// A strong and light colour.
  public var lightVibrant: PixelColor?
  /// A strong and dark colour.
  public var darkVibrant: PixelColor?
  /// A quiet colour of medium lightness.
  public var muted: PixelColor?
  /// A quiet and light colour.
  public var lightMuted: PixelColor?
  /// A quiet and dark colour.
  public var darkMuted: PixelColor?

  /// Creates swatches of colours.
  public init(
    vibrant: PixelColor? = nil, lightVibrant: PixelColor? = nil, darkVibrant: PixelColor? = nil,
    muted: PixelColor? = nil, lightMuted: PixelColor? = nil, darkMuted: PixelColor? = nil
  ) {
    self.vibrant = vibrant
    self.lightVibrant = lightVibrant
    self.darkVibrant = darkVibrant
    self.muted = muted
    self.lightMuted = lightMuted
    self.darkMuted = darkMuted
  }

  /// Finds the swatches of a picture.
  ///
  /// - Parameters:
  ///   - bitmap: The picture, in sRGB. Its colours are those of a copy within 100×100 pixels, weighted by their alpha.
  ///   - buildsMissing: Pass true to derive colours that the picture does not have from the others.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public init(of bitmap: Bitmap, buildsMissing: Bool = false) throws(ImagingError) {
    let small = try bitmap.converted(to: .rgba8).shrunkForFacts()
    var colors = try SwatchColor.all(of: small)
    self.init()
    for target in SwatchTarget.all {
      guard
        let best = colors.indices.filter({ target.accepts(colors[$0]) }).max(by: {
          target.score(colors[$0]) < target.score(colors[$1])
        })
      else { continue }
      self[keyPath: target.path] = colors.remove(at: best).color
    }
    if buildsMissing { buildMissing() }
  }

  /// Derives colours from those of the same lightness, or else of the same strength.
  private mutating func buildMissing() {
    let found = self
    for target in SwatchTarget.all where self[keyPath: target.path] == nil {
      let strong = SwatchTarget.all.filter { $0.isStrong == target.isStrong }
      let others = SwatchTarget.all.filter { $0.isStrong != target.isStrong }
      // The nearest lightness first.
      let order = (strong + others).sorted {
        (abs($0.lightness - target.lightness), $0.isStrong == target.isStrong ? 0 : 1)
          < (abs($1.lightness - target.lightness), $1.isStrong == target.isStrong ? 0 : 1)
      }
      guard let base = order.lazy.compactMap({ found[keyPath: $0.path] }).first else { continue }
      self[keyPath: target.path] = target.changed(base)
    }
  }
}
