import CPixels
import Glibc

/// A converter of decoded samples to pixels. Every decode uses it, so that all deliver the same bytes.
final class TIFFConverter {
  private let pixels: TIFFPixels
  private let isPlanar: Bool
  private let level = cpx_best_level()
  private let table: UnsafeMutableBufferPointer<UInt32>?
  /// The conversion by the loops of PNG, which are faster, for samples that PNG has too.
  private let simple: UnsafeMutablePointer<cpng_pixels>?
  private var samples = csm_samples()

  /// Bytes behind a row that the loops of PNG may read.
  static let overrun = 16

  /// - Parameters:
  ///   - pixels: The meaning of the samples.
  ///   - isPlanar: Pass true if each sample has rows of its own.
  ///   - isSwapped: Pass true if samples of 16 bits are in the other byte order.
  ///   - colors: The colours of indices.
  ///   - format: The format of the pixels.
  init(_ pixels: TIFFPixels, isPlanar: Bool, isSwapped: Bool, colors: [UInt32]?, format: PixelFormat) {
    (self.pixels, self.isPlanar) = (pixels, isPlanar)
    // Grey pixels are made of samples.
    let colors = format == .gray8 ? nil : colors
    let isSimple = !isPlanar && format == .rgba8 && Self.isSimple(pixels, hasTable: colors != nil)
    simple = isSimple ? Self.makeSimple(pixels, colors) : nil
    table = colors.map { colors in
      let table = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: colors.count)
      _ = table.initialize(from: colors)
      return table
    }
    samples.bits = UInt8(pixels.bits)
    samples.colors = UInt8(pixels.colorCount)
    samples.is_inverted = pixels.isInverted ? 1 : 0
    samples.is_associated = pixels.isAssociated ? 1 : 0
    samples.is_swapped = isSwapped ? 1 : 0
    samples.alpha = Int32(pixels.alpha ?? -1)
    samples.step = isPlanar ? 1 : UInt32(pixels.samples)
    samples.table = table?.baseAddress.map { UnsafePointer($0) }
    let target =
      switch format {
      case .rgba8: CSM_RGBA8
      case .rgba16: CSM_RGBA16
      case .gray8: CSM_GRAY8
      case .cmyk8: CSM_CMYK8
      }
    samples.target = UInt8(target.rawValue)
  }

  deinit {
    table?.deallocate()
    simple?.deallocate()
  }

  private static func isSimple(_ pixels: TIFFPixels, hasTable: Bool) -> Bool {
    if hasTable { return pixels.samples == 1 && [1, 2, 4, 8].contains(pixels.bits) }
    guard pixels.bits == 8, !pixels.isAssociated, !pixels.isInverted else { return false }
    switch (pixels.colorCount, pixels.samples) {
    case (3, 3): return true
    case (3, 4): return pixels.alpha == 3
    case (1, 2): return pixels.alpha == 1
    default: return false
    }
  }

  private static func makeSimple(_ pixels: TIFFPixels, _ colors: [UInt32]?) -> UnsafeMutablePointer<
    cpng_pixels
  > {
    let simple = UnsafeMutablePointer<cpng_pixels>.allocate(capacity: 1)
    let type: PNGHeader.ColorType =
      if colors != nil { .indexed } else if pixels.colorCount == 3 { pixels.alpha == nil ? .rgb : .rgba } else
      {
        .grayAlpha
      }
    var palette: [UInt8] = []
    for color in colors ?? [] {
      let word = color.littleEndian
      palette += [
        UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8),
        UInt8(truncatingIfNeeded: word >> 16),
      ]
    }
    cpng_pixels_init(
      simple, CInt(type.rawValue), CInt(pixels.bits), CPNG_RGBA8, palette, palette.count / 3, nil, 0)
    return simple
  }

  /// Converts a row.
  ///
  /// - Parameters:
  ///   - rows: The row of each of ``TIFFPixels/usedSamples``, or the one of all samples.
  ///   - readable: The number of bytes behind the row that may be read.
  ///   - target: Room for the pixels.
  ///   - count: The number of pixels.
  func convert(
    _ rows: UnsafePointer<UnsafePointer<UInt8>>, readable: Int, to target: UnsafeMutablePointer<UInt8>,
    count: Int
  ) {
    if let simple, readable >= Self.overrun {
      cpng_expand(simple, rows[0], target, count, level)
      return
    }
    let colorCount = pixels.colorCount
    withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: 5) { pointers in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 5) { firsts in
        for place in 0..<5 {
          // Unused colours repeat the first.
          let isAlpha = place == 4 && pixels.alpha != nil
          let plane = isAlpha ? colorCount : place < colorCount ? place : 0
          let sample = isAlpha ? pixels.alpha ?? 0 : plane
          pointers.initializeElement(at: place, to: isPlanar ? rows[plane] : rows[0])
          firsts.initializeElement(at: place, to: isPlanar ? 0 : UInt32(sample))
        }
        guard let pointers = pointers.baseAddress, let firsts = firsts.baseAddress else { return }
        csm_convert(&samples, pointers, firsts, target, count)
      }
    }
  }
}
