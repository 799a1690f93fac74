import CJPEG
public import FoundationEssentials
import Glibc

/// Encodes baseline JPEG with libjpeg-turbo: 4:2:0 chroma, Huffman tables made for the picture.
///
/// JPEG has no transparency: pixels are laid on white. No metadata is written.
public struct JPEGEncoder: ImageEncoding {
  /// The longest side that libjpeg writes.
  private static let maxSide = 65_500

  /// JPEG.
  public var format: ImageFormat { .jpeg }

  /// Creates an encoder.
  public init() {}

  /// The encoded bytes.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a quality outside 0 to 100 (0 is the
  ///   library's lowest, 1) or a wish for lossless JPEG, ``ImagingError/encodingFailed(_:reason:)`` for a
  ///   picture longer than 65,500 pixels, ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    guard (0...100).contains(options.quality) else {
      throw .invalidParameter(name: "quality", reason: "\(options.quality) is not in 0...100")
    }
    guard !options.isLossless else {
      throw .invalidParameter(name: "isLossless", reason: "JPEG is lossy; use PNG or WebP")
    }
    let bitmap = image.bitmap
    guard bitmap.width <= Self.maxSide, bitmap.height <= Self.maxSide else {
      throw .encodingFailed(
        .jpeg, reason: "\(bitmap.size) pixels; the longest side of a JPEG is \(Self.maxSide)")
    }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_SIZE))
    let outcome = bitmap.withUnsafeBytes { pixels in
      cjpeg_encode(
        pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), bitmap.bytesPerRow, UInt32(bitmap.width),
        UInt32(bitmap.height), bitmap.isOpaque ? 1 : 0, Int32(max(1, options.quality)),
        { Task.isCancelled ? 1 : 0 }, &bytes, &count, &message)
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
