import CPixels
import Glibc

/// An original, prepared to be compared with pictures that were made of it.
///
/// The first of three measures, SSIMULACRA2, agrees best with people: 100 is for equal pictures, 90 for differences that nobody
/// sees side by side, 70 for high, 50 for medium and 30 for low quality.
///
///     let quality = try ImageQuality(original: original.bitmap)
///     let score = try quality.ssimulacra2(of: decoded.bitmap)
///
/// Pictures are compared in 8 bits: those of 16 are rounded, grey ones have three equal samples. Pictures with transparent
/// pixels are composited on a dark and on a light grey, and the lower result counts. One processor prepares a megapixel in
/// about 17 ms and scores one in about 13 ms.
public struct ImageQuality: Sendable {
  /// The original.
  public let original: Bitmap
  private let backgrounds: [CInt]
  private let references: [PoolBuffer]

  /// The greys behind transparent pixels: 0.1 and 0.9 of white, as in libjxl.
  private static let greys: [CInt] = [26, 230]
  private static let opaque: CInt = -1

  /// Prepares an original.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for inks, and for a picture that is narrower or lower than 8
  ///   pixels; ``ImagingError/outOfMemory(byteCount:)``.
  public init(original: Bitmap) throws(ImagingError) {
    guard original.width >= 8, original.height >= 8 else {
      throw .invalidParameter(
        name: "original", reason: "\(original.size) pixels; quality is measured from 8×8")
    }
    guard original.format != .cmyk8 else {
      throw .invalidParameter(name: "original", reason: "the pixels are inks; convert them to RGB first")
    }
    let bitmap = try original.converted(to: .rgba8)
    self.original = bitmap
    backgrounds = bitmap.isOpaque ? [Self.opaque] : Self.greys
    var references: [PoolBuffer] = []
    for background in backgrounds {
      let reference = try PoolBuffer(byteCount: Self.referenceByteCount(bitmap.size))
      let workspace = try PoolBuffer(byteCount: Self.workspaceByteCount(bitmap.size))
      bitmap.withPicture(background) {
        var picture = $0
        cpx_ssimulacra2_prepare(&picture, reference.address, workspace.address, cpx_best_level())
      }
      references.append(reference)
    }
    self.references = references
  }

  /// Returns the SSIMULACRA2 score of a picture of the same size as the original, at most 100. Equal to that of libjxl within
  /// 0.05.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for another size, or for inks;
  ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  public func ssimulacra2(of picture: Bitmap) throws(ImagingError) -> Double {
    let picture = try checked(picture)
    let workspace = try PoolBuffer(byteCount: Self.workspaceByteCount(picture.size))
    return try least(picture) { (picture: Bitmap, background: CInt) throws(ImagingError) in
      let index = backgrounds.count == 1 ? 0 : Self.greys.firstIndex(of: background) ?? 0
      return picture.withPicture(background) {
        var picture = $0
        return cpx_ssimulacra2(references[index].address, &picture, workspace.address, cpx_best_level())
      }
    }
  }

  /// Returns the structural dissimilarity of a picture of the same size as the original: (1 − SSIM) / 2 of luma, from 0 for
  /// equal pictures to 1, with the window and the constants of Wang et al., "Image Quality Assessment: From Error
  /// Visibility to Structural Similarity" (2004).
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` also for a picture that is narrower or lower than 11 pixels;
  ///   the errors of ``ssimulacra2(of:)``.
  public func dssim(of picture: Bitmap) throws(ImagingError) -> Double {
    let picture = try checked(picture)
    guard picture.width >= 11, picture.height >= 11 else {
      throw .invalidParameter(name: "picture", reason: "\(picture.size) pixels; DSSIM is measured from 11×11")
    }
    let workspace = try PoolBuffer(byteCount: cpx_ssim_workspace_size(UInt32(clamping: picture.width)))
    let similarity = try least(picture) { (picture: Bitmap, background: CInt) throws(ImagingError) in
      original.withPicture(background) { original in
        picture.withPicture(background) { picture in
          var (a, b) = (original, picture)
          return cpx_ssim(&a, &b, workspace.address, cpx_best_level())
        }
      }
    }
    return max(0, (1 - similarity) / 2)
  }

  /// Returns the ratio of the largest value of a sample to the error of red, green and blue, in decibels; infinite for equal
  /// pictures.
  ///
  /// - Throws: The errors of ``ssimulacra2(of:)``.
  public func psnr(of picture: Bitmap) throws(ImagingError) -> Double {
    let picture = try checked(picture)
    return try least(picture) { (picture: Bitmap, background: CInt) throws(ImagingError) in
      let error = original.withPicture(background) { original in
        picture.withPicture(background) { picture in
          var (a, b) = (original, picture)
          return cpx_squared_error(&a, &b)
        }
      }
      return 10 * log10(255 * 255 * 3 * Double(picture.size.pixelCount) / error)
    }
  }

  /// Returns the differences of the colours from those of the original, in absolute values, on black.
  ///
  /// - Parameters:
  ///   - picture: A picture of the same size. Transparent pixels count as if they were composited on black.
  ///   - gain: The factor of the differences, from 1 to 255.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a factor out of its range; the errors of
  ///   ``ssimulacra2(of:)``.
  public func difference(to picture: Bitmap, gain: Int = 8) throws(ImagingError) -> Bitmap {
    guard (1...255).contains(gain) else {
      throw .invalidParameter(name: "gain", reason: "\(gain) is not in 1...255")
    }
    let picture = try checked(picture)
    return try Bitmap(size: original.size) { target in
      original.withPicture(0) { original in
        picture.withPicture(0) { picture in
          var (a, b) = (original, picture)
          cpx_difference(
            &a, &b, CInt(gain), target.bindMemory(to: UInt8.self).baseAddress)
        }
      }
      return true
    }
  }

  /// Returns the bytes of memory that measuring takes at its peak, besides those of the pictures.
  ///
  /// - Parameters:
  ///   - size: The size of the pictures.
  ///   - hasAlpha: Whether the original has transparent pixels.
  public static func memory(for size: PixelSize, hasAlpha: Bool = false) -> Int {
    referenceByteCount(size) * (hasAlpha ? 2 : 1) + workspaceByteCount(size)
  }

  private static func referenceByteCount(_ size: PixelSize) -> Int {
    cpx_ssimulacra2_reference_size(UInt32(clamping: size.width), UInt32(clamping: size.height))
  }

  private static func workspaceByteCount(_ size: PixelSize) -> Int {
    cpx_ssimulacra2_workspace_size(UInt32(clamping: size.width), UInt32(clamping: size.height))
  }

  private func checked(_ picture: Bitmap) throws(ImagingError) -> Bitmap {
    guard picture.size == original.size else {
      throw .invalidParameter(
        name: "picture", reason: "it has \(picture.size) pixels, the original \(original.size)")
    }
    guard picture.format != .cmyk8 else {
      throw .invalidParameter(name: "picture", reason: "the pixels are inks; convert them to RGB first")
    }
    if Task.isCancelled { throw .cancelled }
    return try picture.converted(to: .rgba8)
  }

  /// Returns the lowest result for all backgrounds.
  private func least(
    _ picture: Bitmap, _ measure: (Bitmap, CInt) throws(ImagingError) -> Double
  ) throws(ImagingError) -> Double {
    var lowest = Double.infinity
    for background in original.isOpaque && picture.isOpaque ? [Self.opaque] : Self.greys {
      lowest = min(lowest, try measure(picture, background))
    }
    return lowest
  }
}

extension Bitmap {
  /// Calls `body` with the pixels, which are rgba8.
  fileprivate func withPicture<Result>(_ background: CInt, _ body: (cpx_picture) -> Result) -> Result {
    withUnsafeBytes { bytes in
      body(
        cpx_picture(
          pixels: bytes.bindMemory(to: UInt8.self).baseAddress, bytes_per_row: bytesPerRow,
          width: UInt32(clamping: width), height: UInt32(clamping: height),
          background: isOpaque ? -1 : background))
    }
  }
}

/// A buffer of a pool that returns to it with its last reference.
// `@unchecked`: it is written before it is shared and only read afterwards.
private final class PoolBuffer: @unchecked Sendable {
  private let buffer: UnsafeMutableRawBufferPointer
  private let pool = PixelPool.shared

  init(byteCount: Int) throws(ImagingError) {
    guard let buffer = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    self.buffer = buffer
  }

  var address: UnsafeMutableRawPointer? { buffer.baseAddress }

  deinit {
    pool.giveBack(buffer)
  }
}
