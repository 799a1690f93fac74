#if HEIF
/// The picture parameters of HEVC (PPS; ITU-T H.265, 7.3.2.3), as far as a slice header depends on them.
struct HEVCPictureParameters {
  let id: Int
  let sequenceID: Int
  let hasDependentSlices: Bool
  let hasOutputFlag: Bool
  let extraBitCount: Int

  /// Reads a NAL unit.
  init(_ unit: Range<Int>, of bytes: RawSpan) throws(ImagingError) {
    var reader = HEVCBitReader(unit, of: bytes, limit: 16)
    id = try reader.unsigned(upTo: 63)
    sequenceID = try reader.unsigned(upTo: 15)
    hasDependentSlices = try reader.flag()
    hasOutputFlag = try reader.flag()
    extraBitCount = try reader.bits(3)
  }
}
#endif
