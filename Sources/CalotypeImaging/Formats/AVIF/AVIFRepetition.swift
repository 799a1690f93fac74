#if AVIF
import FoundationEssentials

/// A file of an animation to which a number of plays is added (ISO/IEC 23008-12, 9.6.1): libavif 0.11 writes none.
///
/// Each track gets an edit list of one edit that repeats, and the duration of all plays together.
struct AVIFRepetition {
  private let file: Data

  init(_ file: Data) { self.file = file }

  /// The length of the box `edts` with one entry of 64-bit numbers.
  private static let editLength = 8 + 12 + 4 + 20

  /// Returns the file with a number of plays.
  ///
  /// - Throws: ``ImagingError/encodingFailed(_:reason:)`` for a file that is not laid out as libavif does.
  func data(plays: Int) throws(ImagingError) -> Data {
    do throws(ImagingError) {
      return try repeated(plays)
    } catch .corrupt {
      throw .encodingFailed(.avif, reason: "the number of plays cannot be added")
    }
  }

  private func repeated(_ plays: Int) throws(ImagingError) -> Data {
    let bytes = file.bytes
    var output = file
    var insertions: [Int] = []
    let top = 0..<file.count
    guard let movie = try ISOBoxes.first("moov", in: top, bytes, format: .avif) else { throw damaged }
    var lengths = [movie.offset]
    var tables: [ISOBox] = []
    var duration = 0
    var boxes = ISOBoxes(movie.content, format: .avif)
    while let track = try boxes.next(bytes) {
      guard track.type == FourCC("trak") else { continue }
      let media = try first("mdia", track)
      let header = try first("mdhd", media)
      let trackHeader = try first("tkhd", track)
      tables.append(try first("stco", first("stbl", first("minf", media))))
      // libavif writes version 1: 64-bit durations, in the same units everywhere.
      guard bytes.byte(at: header.content.lowerBound) == 1,
        bytes.byte(at: trackHeader.content.lowerBound) == 1,
        let once = bytes.uint64(at: header.content.lowerBound + 24).flatMap({ Int(exactly: $0) })
      else { throw damaged }
      let (all, overflow) = once.multipliedReportingOverflow(by: plays)
      guard !overflow else { throw damaged }
      duration = max(duration, all)
      output.write(all, byteCount: 8, at: trackHeader.content.lowerBound + 28)
      lengths.append(track.offset)
      insertions.append(trackHeader.end)
    }
    guard !insertions.isEmpty else { throw damaged }
    let movieHeader = try first("mvhd", movie)
    guard bytes.byte(at: movieHeader.content.lowerBound) == 1 else { throw damaged }
    output.write(duration, byteCount: 8, at: movieHeader.content.lowerBound + 24)
    // Offsets in the file grow by what is inserted before the data, which come last.
    let growth = insertions.count * Self.editLength
    for table in tables { try shiftChunks(of: table, by: growth, in: &output) }
    if let meta = try ISOBoxes.first("meta", in: top, bytes, format: .avif) {
      let content = try meta.fullContent(.avif)
      if let locations = try ISOBoxes.first("iloc", in: content, bytes, format: .avif) {
        try shiftItems(of: locations, by: growth, in: &output)
      }
    }
    for (index, offset) in lengths.enumerated() {
      guard let length = bytes.uint32(at: offset, bigEndian: true) else { throw damaged }
      output.write(Int(length) + (index == 0 ? growth : Self.editLength), byteCount: 4, at: offset)
    }
    let once = duration / plays
    for offset in insertions.sorted(by: >) { output.insert(contentsOf: Self.edit(once), at: offset) }
    return output
  }

  private var damaged: ImagingError { .corrupt(.avif, reason: "unexpected boxes", offset: nil) }

  private func first(_ type: StaticString, _ parent: ISOBox) throws(ImagingError) -> ISOBox {
    guard let box = try ISOBoxes.first(type, in: parent.content, file.bytes, format: .avif) else {
      throw damaged
    }
    return box
  }

  /// Returns a box `edts` with one edit that repeats.
  private static func edit(_ duration: Int) -> Data {
    var box = Data(count: editLength)
    box.write(editLength, byteCount: 4, at: 0)
    box.replaceSubrange(4..<8, with: Array("edts".utf8))
    box.write(editLength - 8, byteCount: 4, at: 8)
    box.replaceSubrange(12..<16, with: Array("elst".utf8))
    // Version 1, and the flag that edits repeat.
    box.write(0x0100_0001, byteCount: 4, at: 16)
    box.write(1, byteCount: 4, at: 20)
    box.write(duration, byteCount: 8, at: 24)
    // From the beginning of the media, at the normal rate.
    box.write(0, byteCount: 8, at: 32)
    box.write(0x0001_0000, byteCount: 4, at: 40)
    return box
  }

  private func shiftChunks(of table: ISOBox, by growth: Int, in output: inout Data) throws(ImagingError) {
    let bytes = file.bytes
    let start = table.content.lowerBound
    guard let count = bytes.uint32(at: start + 4, bigEndian: true), table.content.count >= 8 + 4 * Int(count)
    else {
      throw damaged
    }
    for position in stride(from: start + 8, to: start + 8 + 4 * Int(count), by: 4) {
      guard let offset = bytes.uint32(at: position, bigEndian: true) else { throw damaged }
      output.write(Int(offset) + growth, byteCount: 4, at: position)
    }
  }

  /// Shifts the extents of items: version 0, 32-bit offsets, no base.
  private func shiftItems(of box: ISOBox, by growth: Int, in output: inout Data) throws(ImagingError) {
    let bytes = file.bytes
    var fields = FieldReader(box.content, format: .avif)
    guard try fields.uint32(bytes) == 0, try fields.uint16(bytes) == 0x4400 else { throw damaged }
    for _ in 0..<(try fields.uint16(bytes)) {
      try fields.skip(4)
      for _ in 0..<(try fields.uint16(bytes)) {
        let position = fields.position
        output.write(Int(try fields.uint32(bytes)) + growth, byteCount: 4, at: position)
        try fields.skip(4)
      }
    }
  }
}

extension Data {
  /// Replaces a big-endian number.
  fileprivate mutating func write(_ value: Int, byteCount: Int, at offset: Int) {
    for index in 0..<byteCount {
      self[startIndex + offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - index)))
    }
  }
}
#endif
