/// A set of at most 256 colours that represent those of a picture.
package struct Palette: Hashable, Sendable {
  /// A colour with straight alpha.
  package struct Color: Hashable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8
    package var alpha: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }

    /// Creates a colour from the four bytes of an RGBA8 pixel, the first in the low bits. Fully transparent pixels are
    /// all equal.
    init(pixel: UInt32) {
      let visible = pixel >> 24 == 0 ? 0 : pixel
      self.init(
        red: UInt8(truncatingIfNeeded: visible), green: UInt8(truncatingIfNeeded: visible >> 8),
        blue: UInt8(truncatingIfNeeded: visible >> 16), alpha: UInt8(truncatingIfNeeded: visible >> 24))
    }
  }

  /// 1 to 256 colours, those with transparency first.
  package let colors: [Color]
  /// A Boolean value that indicates whether every pixel of the picture has its exact colour.
  package let isExact: Bool

  /// Creates a palette of given colours, 1 to 256.
  package init(colors: [Color], isExact: Bool = false) {
    self.colors = colors.filter { $0.alpha < 255 } + colors.filter { $0.alpha == 255 }
    self.isExact = isExact
  }

  /// Makes the palette of an RGBA8 picture: its own colours if there are no more than `maxColors` (1 to 256), otherwise
  /// colours found by median cuts.
  ///
  /// With `hasBinaryAlpha`, pixels of an alpha below 128 become transparent and all others opaque, as in GIF. A colour
  /// for transparent pixels is included if there are such pixels, or if `reservesTransparency` is set.
  ///
  /// - Throws: `invalidParameter` for another pixel format or count, `cancelled`.
  package static func make(
    from bitmap: Bitmap, maxColors: Int = 256, hasBinaryAlpha: Bool = false,
    reservesTransparency: Bool = false
  ) throws(ImagingError) -> Palette {
    guard bitmap.format == .rgba8 else {
      throw .invalidParameter(name: "bitmap", reason: "a palette is made from RGBA with 8 bits a sample")
    }
    guard (1...256).contains(maxColors) else {
      throw .invalidParameter(name: "maxColors", reason: "\(maxColors) is not within 1...256")
    }
    var histogram = try PaletteHistogram(bitmap, maxColors: maxColors, hasBinaryAlpha: hasBinaryAlpha)
    if reservesTransparency { histogram.reserveTransparency() }
    if let exact = histogram.exactColors, exact.count <= maxColors {
      return Palette(colors: exact.isEmpty ? [Color(pixel: 0)] : exact, isExact: true)
    }
    return Palette(colors: try MedianCut.colors(of: histogram, count: maxColors))
  }
}

extension UInt32 {
  /// Returns the pixel as a palette treats it: transparent pixels have no colour, and binary alpha has no values
  /// between transparent and opaque.
  func paletteKey(hasBinaryAlpha: Bool) -> UInt32 {
    let alpha = self >> 24
    if hasBinaryAlpha { return alpha < 128 ? 0 : self | 0xff00_0000 }
    return alpha == 0 ? 0 : self
  }
}
