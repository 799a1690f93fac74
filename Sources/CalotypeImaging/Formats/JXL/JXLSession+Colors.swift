#if JXL
import CJXL
import FoundationEssentials

extension JXLSession {
  /// Decides the colours of the pixels, when the header is read: those of the file where pixels are stored in them or
  /// numbers describe them, sRGB otherwise. Returns `nil` for sRGB.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``.
  func profile(of header: JXLHeader, limits: DecodeLimits) throws(ImagingError) -> ColorProfile? {
    // The library converts from XYB, and cannot to a profile.
    if header.isXYB, header.hasProfile { cjxl_decoder_prefer_srgb(decoder, header.isGray) }
    var color = cjxl_color()
    if cjxl_decoder_color(decoder, &color) {
      if color.isSRGB { return nil }
      // An ICC profile of these curves knows nothing of tone mapping.
      if let points = color.codePoints { return points.profile }
    }
    let size = cjxl_decoder_profile_size(decoder)
    guard size > 0, size <= limits.maxChunkBytes else { return nil }
    var profile = Data(count: size)
    let isRead = profile.withUnsafeMutableBytes { bytes in
      cjxl_decoder_profile(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, size)
    }
    return isRead ? .icc(profile) : nil
  }
}

extension cjxl_color {
  /// A Boolean value that indicates whether the numbers are those of sRGB, also of grey.
  fileprivate var isSRGB: Bool {
    is_enumerated && white == 1 && (is_gray || primaries == 1) && transfer == 13
  }

  /// The code points of a curve of high dynamic range; `nil` for others, and for primaries that have none.
  fileprivate var codePoints: ColorProfile.CodePoints? {
    guard is_enumerated, transfer == 16 || transfer == 18 else { return nil }
    let named: UInt8? =
      switch (white, is_gray ? 1 : primaries) {
      case (1, 1): 1
      case (1, 9): 9
      case (1, 11): 12
      case (11, 11): 11
      default: nil
      }
    return named.map { ColorProfile.CodePoints(primaries: $0, transfer: UInt8(transfer)) }
  }
}
#endif
