extension SequenceTrack {
  /// Reads the track of a `moov` box that is to be shown, and whether it has a track with alpha.
  ///
  /// - Returns: `nil` without a track of pictures.
  package static func shown(
    in movie: ISOBox, _ bytes: RawSpan, limits: DecodeLimits, format: ImageFormat
  ) throws(ImagingError) -> (track: SequenceTrack, alpha: SequenceTrack?)? {
    var pictures: [(box: ISOBox, track: SequenceTrack)] = []
    var auxiliaries: [(box: ISOBox, track: SequenceTrack)] = []
    var boxes = ISOBoxes(movie.content, format: format)
    var count = 0
    while let box = try boxes.next(bytes) {
      guard box.type == FourCC("trak") else { continue }
      count += 1
      try limits.check(itemCount: count)
      let track = try SequenceTrack(header: box, bytes, format: format)
      switch track.handler {
      case "pict", "vide": pictures.append((box, track))
      case "auxv": auxiliaries.append((box, track))
      default: break
      }
    }
    guard var chosen = pictures.first(where: { $0.track.handler == FourCC("pict") }) ?? pictures.first else {
      return nil
    }
    try chosen.track.readMedia(of: chosen.box, bytes, limits, format)
    for var auxiliary in auxiliaries where auxiliary.track.auxiliaryTo.contains(chosen.track.id) {
      try auxiliary.track.readMedia(of: auxiliary.box, bytes, limits, format)
      if auxiliary.track.isAlpha { return (chosen.track, auxiliary.track) }
    }
    return (chosen.track, nil)
  }

  /// A Boolean value that indicates whether an auxiliary track is alpha. Early writers do not say.
  private var isAlpha: Bool {
    for case .auxiliary(let kind) in properties { return ItemGraph.alphaKinds.contains(kind) }
    return true
  }

  /// Reads the kind of a track and its references.
  private init(header trak: ISOBox, _ bytes: RawSpan, format: ImageFormat) throws(ImagingError) {
    var boxes = ISOBoxes(trak.content, format: format)
    while let box = try boxes.next(bytes) {
      switch box.type {
      case "tkhd":
        var fields = FieldReader(box.content, format: format)
        let isLong = try fields.byte(bytes) == 1
        try fields.skip(isLong ? 3 + 16 : 3 + 8)
        id = try fields.uint32(bytes)
      case "mdia":
        guard let box = try ISOBoxes.first("hdlr", in: box.content, bytes, format: format) else { continue }
        var fields = FieldReader(box.content, format: format)
        try fields.skip(8)
        handler = FourCC(rawValue: try fields.uint32(bytes))
      case "tref":
        guard let box = try ISOBoxes.first("auxl", in: box.content, bytes, format: format) else { continue }
        var fields = FieldReader(box.content, format: format)
        // Tracks refer to few others.
        while fields.count >= 4, auxiliaryTo.count < 64 { auxiliaryTo.append(try fields.uint32(bytes)) }
      default: break
      }
    }
  }

  /// Reads times, sizes and samples.
  private mutating func readMedia(
    of trak: ISOBox, _ bytes: RawSpan, _ limits: DecodeLimits, _ format: ImageFormat
  ) throws(ImagingError) {
    func first(_ type: StaticString, in parent: ISOBox) throws(ImagingError) -> ISOBox {
      guard let box = try ISOBoxes.first(type, in: parent.content, bytes, format: format) else {
        throw .corrupt(format, reason: "the track has no box \(type)", offset: parent.offset)
      }
      return box
    }
    let header = try TrackHeader(try first("tkhd", in: trak), bytes, format: format)
    let media = try first("mdia", in: trak)
    var fields = FieldReader(try first("mdhd", in: media).content, format: format)
    let isLong = try fields.byte(bytes) == 1
    try fields.skip(isLong ? 3 + 16 : 3 + 8)
    timescale = try fields.uint32(bytes)
    guard timescale > 0 else {
      throw .corrupt(format, reason: "the track has a time scale of 0", offset: media.offset)
    }
    let samples = try first("stbl", in: try first("minf", in: media))
    table = try SampleTable(samples, bytes, limits: limits, format: format)
    size = header.size
    try readEntry(try first("stsd", in: samples), bytes, format)
    try limits.check(size: size, format: format)
    plays = try Self.plays(in: trak, header, bytes, format)
  }

  /// Reads the first sample entry (ISO/IEC 14496-12, 12.1.3): the size, and the properties behind 78 bytes.
  private mutating func readEntry(
    _ box: ISOBox, _ bytes: RawSpan, _ format: ImageFormat
  ) throws(ImagingError) {
    let content = try box.fullContent(format)
    guard content.count > 4 else { return }
    var entries = ISOBoxes(content.lowerBound + 4..<content.upperBound, format: format)
    guard let entry = try entries.next(bytes), entry.content.count >= 78 else { return }
    let start = entry.content.lowerBound
    if let width = bytes.uint16(at: start + 24, bigEndian: true),
      let height = bytes.uint16(at: start + 26, bigEndian: true), width > 0, height > 0
    {
      size = PixelSize(width: Int(width), height: Int(height))
    }
    var boxes = ISOBoxes(start + 78..<entry.end, format: format)
    while properties.count < 64, let property = try boxes.next(bytes) {
      properties.append(try ItemProperty(property, bytes, format: format))
    }
  }

  /// Returns the number of plays by the edit list: the duration of the track over that of the edit that repeats
  /// (ISO/IEC 23008-12, 9.6.1). For ever without a list, as browsers do.
  private static func plays(
    in trak: ISOBox, _ header: TrackHeader, _ bytes: RawSpan, _ format: ImageFormat
  ) throws(ImagingError) -> Int {
    guard let edits = try ISOBoxes.first("edts", in: trak.content, bytes, format: format),
      let list = try ISOBoxes.first("elst", in: edits.content, bytes, format: format)
    else { return 0 }
    var fields = FieldReader(list.content, format: format)
    let isLong = try fields.byte(bytes) == 1
    let repeats = try fields.number(bytes, byteCount: 3) & 1 != 0
    guard repeats else { return 1 }
    guard try fields.uint32(bytes) > 0 else { return 1 }
    let segment = try fields.number(bytes, byteCount: isLong ? 8 : 4)
    guard let duration = header.duration else { return 0 }
    guard segment > 0 else { return 1 }
    // Plays are 32-bit numbers at most in all formats.
    let plays = duration / segment + (duration % segment > 0 ? 1 : 0)
    return max(1, Int(clamping: min(plays, UInt64(UInt32.max))))
  }
}

/// The fields of `tkhd` (ISO/IEC 14496-12, 8.3.2).
private struct TrackHeader {
  /// The duration in units of the movie; `nil` if it is not limited.
  let duration: UInt64?
  /// The size of the track in whole pixels.
  let size: PixelSize

  init(_ box: ISOBox, _ bytes: RawSpan, format: ImageFormat) throws(ImagingError) {
    var fields = FieldReader(box.content, format: format)
    let isLong = try fields.byte(bytes) == 1
    // Flags, times of creation and change, identifier, a reserved field.
    try fields.skip(3 + (isLong ? 16 : 8) + 8)
    let value = try fields.number(bytes, byteCount: isLong ? 8 : 4)
    duration = value == (isLong ? .max : UInt64(UInt32.max)) ? nil : value
    // Reserved fields, layer, group, volume and matrix.
    try fields.skip(8 + 8 + 36)
    let (width, height) = (try fields.uint32(bytes), try fields.uint32(bytes))
    size = PixelSize(width: Int(width >> 16), height: Int(height >> 16))
  }
}
