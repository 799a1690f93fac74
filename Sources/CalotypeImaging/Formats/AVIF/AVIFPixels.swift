#if AVIF
import CAVIF
import CPixels

/// A decoded picture before its conversion to pixels: planes of colour and alpha, and what they mean.
struct AVIFPixels: PictureRows {
  let color: PicturePlanes
  /// Alpha in the luma plane, of the full range, and of the size and depth of ``color``.
  let alpha: PicturePlanes?
  let points: cpx_code_points
  /// A Boolean value that indicates whether the colours are multiplied by alpha.
  let isPremultiplied: Bool
  let format: PixelFormat
  let profile: ColorProfile?

  /// Joins planes of a file.
  init(
    _ picture: CodedPicture, alpha: PicturePlanes?, of reader: AVIFPictureReader, options: DecodeOptions
  ) throws(ImagingError) {
    color = picture.planes
    if let alpha {
      guard alpha.size == color.size, alpha.depth == color.depth else {
        throw .unsupportedFormat(.avif, reason: "alpha has another size or depth than the colours")
      }
    }
    self.alpha = alpha
    let colors = PictureColors(reader.file.colorProperties, picture, reader.bytes, reader.limits)
    (points, profile) = (colors.points, colors.profile)
    isPremultiplied = reader.file.track == nil && reader.file.graph?.isPremultiplied == true
    format = colors.format(ofDepth: color.depth, options: options)
  }

  var size: PixelSize { color.size }

  var isOpaque: Bool { alpha == nil }

  var isGray: Bool { color.isMonochrome && alpha == nil }

  func convert(rows: Range<Int>, to target: UnsafeMutableRawPointer) throws(ImagingError) {
    var source = cavif_source(
      planes: color.raw, colors: points, alpha: alpha?.raw ?? cpx_planes(),
      is_premultiplied: isPremultiplied)
    let stride = color.size.width * format.bytesPerPixel
    let status = cavif_convert(
      &source, UInt32(rows.lowerBound), UInt32(rows.count), format == .rgba16 ? 16 : 8,
      target.assumingMemoryBound(to: UInt8.self), stride)
    switch status {
    case CAVIF_DONE: return
    case CAVIF_NO_MEMORY: throw .outOfMemory(byteCount: rows.count * stride)
    default:
      throw .unsupportedFormat(
        .avif, reason: "the matrix \(points.matrix) does not fit the planes, or is not known (ITU-T H.273)")
    }
  }
}
#endif
