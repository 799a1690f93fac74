import CJPEG
public import FoundationEssentials
import Glibc

/// An encoder for JPEG by libjpeg-turbo: baseline or progressive, with chroma at full or reduced resolution.
///
/// JPEG has no transparency: pixels are composited on ``EncodeOptions/background``. 16-bit samples are rounded to 8,
/// and grey bitmaps become JPEG of one component. Profile, Exif and XMP are written if the options keep them.
public struct JPEGEncoder: ImageEncoding {
  /// The longest side that libjpeg writes.
  private static let maxSide = 65_500
  /// The capacity of a segment without its length field, in bytes.
  private static let maxSegment = 65_533

  /// JPEG.
  public var format: ImageFormat { .jpeg }

  /// Creates an encoder.
  public init() {}

  /// Returns the encoded image.
  ///
  /// The effort selects the Huffman codes, fixed for the fastest and otherwise optimised for the picture. The smallest is
  /// progressive and, with fitted tables, weighs the bits of each coefficient against its error. A profile that does not fit the pixels, such as one for inks, is not written.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a quality outside 0 to 100 (0 is the library's
  ///   lowest, 1) or a request for lossless JPEG, ``ImagingError/encodingFailed(_:reason:)`` for a picture longer than
  ///   65,500 pixels, a picture of inks, or metadata that no segment can hold, ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    guard (0...100).contains(options.quality) else {
      throw .invalidParameter(name: "quality", reason: "\(options.quality) is not in 0...100")
    }
    guard !options.isLossless else {
      throw .invalidParameter(name: "isLossless", reason: "JPEG is lossy; use PNG or WebP")
    }
    let bitmap = image.bitmap
    let options = try options.withSubsampling(for: bitmap)
    guard bitmap.width <= Self.maxSide, bitmap.height <= Self.maxSide else {
      throw .encodingFailed(
        .jpeg, reason: "\(bitmap.size) pixels; the longest side of a JPEG is \(Self.maxSide)")
    }
    var picture = try picture(bitmap, options)
    let profile = profile(of: image, options)
    if let profile, ICCHeader.colorSpace(of: profile) == "GRAY" { picture.only_luminance = 1 }
    let metadata = image.metadata.kept(options.keeps)
    let exif = try segment("Exif", JPEGHeader.exifName, metadata.exif)
    let xmp = try segment("XMP", JPEGHeader.xmpName, metadata.xmp)
    return try encode(picture, bitmap, exif: exif, xmp: xmp, profile: profile.map { [UInt8]($0) } ?? [])
  }

  /// Returns the settings of the encoder, without the pointers.
  private func picture(_ bitmap: Bitmap, _ options: EncodeOptions) throws(ImagingError) -> cjpeg_picture {
    var picture = cjpeg_picture()
    picture.bytes_per_row = bitmap.bytesPerRow
    picture.width = UInt32(bitmap.width)
    picture.height = UInt32(bitmap.height)
    switch bitmap.format {
    case .rgba8: picture.layout = Int32(CJPEG_RGBA)
    case .rgba16: picture.layout = Int32(CJPEG_RGBA16)
    case .gray8: picture.layout = Int32(CJPEG_GRAY)
    case .cmyk8:
      throw .encodingFailed(.jpeg, reason: "the pixels are inks; convert them to RGB first")
    }
    picture.opaque = bitmap.isOpaque ? 1 : 0
    picture.background = (options.background.red, options.background.green, options.background.blue)
    picture.quality = Int32(max(1, options.quality))
    (picture.luma_horizontal, picture.luma_vertical) =
      switch options.subsampling {
      case .yuv420, .auto: (2, 2)
      case .yuv422: (2, 1)
      case .yuv444: (1, 1)
      }
    picture.optimized = options.effort == .fast ? 0 : 1
    picture.progressive = options.isProgressive || options.effort == .small ? 1 : 0
    picture.standard_tables = options.jpegTables == .standard ? 1 : 0
    picture.trims = options.effort == .small && options.jpegTables == .fitted ? 1 : 0
    return picture
  }

  /// Returns the profile to write: that of the image, if the options keep it and it applies to RGB or grey.
  private func profile(of image: Image, _ options: EncodeOptions) -> Data? {
    guard options.keeps.contains(.icc), case .icc(let profile) = image.profile,
      // A segment spends 14 bytes on the profile's header, and there are at most 255.
      profile.count <= 255 * (Self.maxSegment - 14),
      // Grey pixels may have a grey or an RGB profile; RGB pixels with a grey profile are grey.
      ICCHeader.explains(1, profile)
    else { return nil }
    return profile
  }

  /// Returns the contents of a segment for a block of metadata; empty without one.
  private func segment(
    _ kind: String, _ name: StaticString, _ block: Data?
  ) throws(ImagingError) -> [UInt8] {
    guard let block, !block.isEmpty else { return [] }
    let capacity = Self.maxSegment - name.utf8CodeUnitCount
    guard block.count <= capacity else {
      throw .encodingFailed(
        .jpeg, reason: "the \(kind) block has \(block.count) bytes; a JPEG segment holds \(capacity)")
    }
    var bytes = name.withUTF8Buffer { [UInt8]($0) }
    bytes.append(contentsOf: block)
    return bytes
  }

  private func encode(
    _ template: cjpeg_picture, _ bitmap: Bitmap, exif: [UInt8], xmp: [UInt8], profile: [UInt8]
  ) throws(ImagingError) -> Data {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_SIZE))
    let outcome = bitmap.withUnsafeBytes { pixels in
      exif.withUnsafeBufferPointer { exif in
        xmp.withUnsafeBufferPointer { xmp in
          profile.withUnsafeBufferPointer { profile in
            var picture = template
            picture.rows = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
            if !exif.isEmpty { (picture.exif, picture.exif_count) = (exif.baseAddress, exif.count) }
            if !xmp.isEmpty { (picture.xmp, picture.xmp_count) = (xmp.baseAddress, xmp.count) }
            if !profile.isEmpty {
              (picture.profile, picture.profile_count) = (profile.baseAddress, profile.count)
            }
            return cjpeg_encode(&picture, { Task.isCancelled ? 1 : 0 }, &bytes, &count, &message)
          }
        }
      }
    }
    switch Int(outcome) {
    case CJPEG_OK: break
    case CJPEG_CANCELLED: throw .cancelled
    case CJPEG_OUT_OF_MEMORY: throw .outOfMemory(byteCount: bitmap.byteCount)
    default:
      let end = message.firstIndex(of: 0) ?? message.endIndex
      let text = String(decoding: message[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw .encodingFailed(.jpeg, reason: text)
    }
    guard let bytes else { throw .encodingFailed(.jpeg, reason: "no bytes were written") }
    return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
  }
}
