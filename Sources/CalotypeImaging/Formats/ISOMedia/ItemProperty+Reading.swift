extension ItemProperty {
  /// Reads a property. Wrong lengths of boxes are errors, unknown boxes are not.
  init(_ box: ISOBox, _ bytes: RawSpan, format: ImageFormat) throws(ImagingError) {
    var fields = FieldReader(box.content, format: format)
    switch box.type {
    case "ispe":
      try fields.skip(4)
      self = .size(width: try fields.uint32(bytes), height: try fields.uint32(bytes))
    case "pixi":
      try fields.skip(4)
      let count = try fields.byte(bytes)
      var depths: [UInt8] = []
      for _ in 0..<count { depths.append(try fields.byte(bytes)) }
      self = .depths(depths)
    case "av1C", "hvcC", "avcC", "vvcC", "evcC", "lhvC", "jpgC", "j2kH", "uncC":
      self = .codec(try CodecConfiguration(box, bytes, format: format))
    case "colr":
      self = try Self.color(&fields, bytes)
    case "irot":
      self = .rotation(Int(try fields.byte(bytes) & 3))
    case "imir":
      self = .mirror(leftRight: try fields.byte(bytes) & 1 != 0)
    case "clap":
      func fraction() throws(ImagingError) -> CleanAperture.Fraction {
        CleanAperture.Fraction(
          numerator: try fields.uint32(bytes), denominator: try fields.uint32(bytes))
      }
      self = .aperture(
        CleanAperture(
          width: try fraction(), height: try fraction(), horizontalOffset: try fraction(),
          verticalOffset: try fraction()))
    case "auxC", "auxi":
      try fields.skip(4)
      self = .auxiliary(fields.text(bytes))
    case "a1lx":
      let isLarge = try fields.byte(bytes) & 1 != 0
      var sizes: [UInt32] = []
      for _ in 0..<3 {
        sizes.append(UInt32(truncatingIfNeeded: try fields.number(bytes, byteCount: isLarge ? 4 : 2)))
      }
      self = .layerSizes(sizes)
    case "a1op":
      self = .operatingPoint(try fields.byte(bytes) & 31)
    case "lsel":
      self = .layer(try fields.uint16(bytes))
    case "clli":
      self = .light(maxContent: try fields.uint16(bytes), maxFrameAverage: try fields.uint16(bytes))
    case "mdcv":
      // Primaries and white point come first; the peak is in units of 0.0001 cd/m².
      try fields.skip(16)
      self = .mastering(peak: try fields.uint32(bytes) / 10_000)
    case "pasp", "cclv", "amve", "cmin", "cmex", "rloc", "udes", "altt", "crtt", "mdft", "cmpd", "tols":
      self = .descriptive(box.type)
    default:
      self = .unknown(box.type)
    }
  }

  private static func color(_ fields: inout FieldReader, _ bytes: RawSpan) throws(ImagingError)
    -> ItemProperty
  {
    let kind = FourCC(rawValue: try fields.uint32(bytes))
    switch kind {
    case "prof", "rICC":
      return .profile(fields.position..<fields.position + fields.count)
    case "nclx":
      return .codePoints(
        CodePoints(
          primaries: try fields.uint16(bytes), transfer: try fields.uint16(bytes),
          matrix: try fields.uint16(bytes), isFullRange: try fields.byte(bytes) & 0x80 != 0))
    default:
      return .descriptive(kind)
    }
  }
}
