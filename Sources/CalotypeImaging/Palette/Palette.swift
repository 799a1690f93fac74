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
  /// colours found by median cuts and refined by k-means.
  ///
  /// With `hasBinaryAlpha`, pixels of an alpha below 128 become transparent and all others opaque, as in GIF. A colour
  /// for transparent pixels is included if there are such pixels, or if `reservesTransparency` is set.
  ///
  /// - Throws: `invalidParameter` for another pixel format or count, `cancelled`, `outOfMemory`.
  package static func make(
    from bitmap: Bitmap, maxColors: Int = 256, hasBinaryAlpha: Bool = false,
    reservesTransparency: Bool = false
  ) throws(ImagingError) -> Palette {
    let colors = ColorHistogram(hasBinaryAlpha: hasBinaryAlpha)
    try colors.add(bitmap)
    return try colors.palette(maxColors: maxColors, reservesTransparency: reservesTransparency)
  }
}
