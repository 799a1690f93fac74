import CPixels

/// A converter of filtered rows to pixels.
///
/// Every decode uses it, for all ways of inflating rows, so that all deliver the same bytes.
final class PNGExpander {
  let header: PNGHeader
  private let step: CInt
  private let level = cpx_best_level()
  private let pixels: UnsafeMutablePointer<cpng_pixels>

  /// - Parameters:
  ///   - bytes: The file.
  ///   - header: The header of the picture, or of one of its frames.
  ///   - format: The layout of the resulting pixels.
  init(
    _ bytes: UnsafeRawBufferPointer, _ structure: PNGStructure, header: PNGHeader, format: PixelFormat
  ) {
    self.header = header
    step = CInt(max(1, header.bitsPerPixel / 8))
    pixels = .allocate(capacity: 1)
    let target =
      switch format {
      case .gray8: CPNG_GRAY8
      case .rgba16: CPNG_RGBA16
      case .rgba8, .cmyk8: CPNG_RGBA8
      }
    let palette = bytes[structure.palette?.payload ?? 0..<0]
    let transparency = bytes[structure.transparency?.payload ?? 0..<0]
    UnsafeRawBufferPointer(rebasing: palette).withMemoryRebound(to: UInt8.self) { palette in
      UnsafeRawBufferPointer(rebasing: transparency).withMemoryRebound(to: UInt8.self) { transparency in
        cpng_pixels_init(
          pixels, CInt(header.colorType.rawValue), CInt(header.bitDepth), target, palette.baseAddress,
          palette.count / 3, transparency.baseAddress, transparency.count)
      }
    }
  }

  deinit {
    pixels.deallocate()
  }

  /// Undoes the filter of a row. `prior` is the row above it in the same pass, if any. `row` is for the error message.
  ///
  /// - Throws: `corrupt` for an unknown filter.
  func unfilter(
    _ filtered: UnsafeMutablePointer<UInt8>, bytes: Int, prior: UnsafePointer<UInt8>?, row: Int
  ) throws(ImagingError) {
    let filter = filtered[0]
    guard filter <= 4 else {
      throw .corrupt(.png, reason: "there is no filter \(filter) (row \(row))", offset: nil)
    }
    cpng_unfilter(CInt(filter), filtered + 1, prior, bytes, step, level)
  }

  /// Converts the samples of a row, without its filter type, to adjacent pixels.
  func expand(_ samples: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, count: Int) {
    cpng_expand(pixels, samples, target, count, level)
  }
}
