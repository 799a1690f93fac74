#if HEIF
import CHEIF
import CPixels

/// A decoded picture of HEVC, and the decoder that owns its planes.
final class HEVCPicture {
  private let decoder: OpaquePointer
  /// The planes; they live as long as this object.
  private(set) var planes = cpx_planes()

  /// Decodes the slices of an item, on the calling thread.
  ///
  /// - Parameters:
  ///   - unit: The slices and their parameters.
  ///   - data: The data of the item.
  ///   - file: The file, which has the parameters.
  ///   - limits: The limits of the image.
  ///   - watch: The deadline, checked before each slice.
  init(
    _ unit: HEVCAccessUnit, of data: UnsafeRawBufferPointer, in file: UnsafeRawBufferPointer,
    limits: DecodeLimits, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    let (parameters, sequence) = (unit.parameters, unit.parameters.sequence)
    let coded = sequence.codedSize
    let decoder = cheif_decoder_create(
      UInt32(coded.width), UInt32(coded.height), max(0, limits.maxMemoryBytes))
    guard let decoder else { throw .outOfMemory(byteCount: 1 << 16) }
    self.decoder = decoder
    let size = sequence.size
    func check(_ status: cheif_status) throws(ImagingError) {
      switch status {
      case CHEIF_DONE: return
      case CHEIF_NO_MEMORY: throw .outOfMemory(byteCount: 2 * coded.pixelCount)
      case CHEIF_UNSUPPORTED:
        throw .unsupportedFormat(.heif, reason: "libde265 does not decode this kind of HEVC")
      default: throw .corrupt(.heif, reason: "the HEVC data are damaged", offset: nil)
      }
    }
    func push(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) throws(ImagingError) {
      let unit = UnsafeRawBufferPointer(rebasing: bytes[range])
      try check(
        cheif_decoder_push(decoder, unit.baseAddress?.assumingMemoryBound(to: UInt8.self), unit.count))
    }
    try push(parameters.sequenceUnit, of: file)
    try push(parameters.pictureUnit, of: file)
    for slice in unit.slices {
      try watch.check()
      try push(slice, of: data)
    }
    try check(cheif_decoder_finish(decoder, &planes))
    guard Int(planes.width) == size.width, Int(planes.height) == size.height,
      Int(planes.depth) == sequence.depth, Int(planes.chroma.rawValue) == sequence.chroma
    else { throw .corrupt(.heif, reason: "the HEVC picture is not as its parameters say", offset: nil) }
  }

  deinit { cheif_decoder_free(decoder) }
}
#endif
