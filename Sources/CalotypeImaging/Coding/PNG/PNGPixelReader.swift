import CSPNG

/// Turns the compressed pixels of a PNG image or an APNG frame into RGBA8, row by row, by libspng.
struct PNGPixelReader {
  private let bytes: UnsafeRawBufferPointer
  private let structure: PNGStructure

  /// Creates a reader of a file whose structure is known. `bytes` is the whole file.
  init(_ bytes: UnsafeRawBufferPointer, _ structure: PNGStructure) {
    self.bytes = bytes
    self.structure = structure
  }

  /// How much of a picture was read.
  struct Outcome {
    /// Rows (of all passes, when interlaced) that were written.
    var rows = 0
    /// Why it was not all; `nil` when everything was read.
    var failure: ImagingError?
  }

  /// Reads the default image.
  func readImage(into pixels: UnsafeMutableRawPointer, bytesPerRow: Int) throws(ImagingError) -> Outcome {
    var segments: [PNGByteSource.Segment] = []
    if let run = structure.imageData { segments.append(.input(run)) }
    if let cut = structure.cutImageData {
      // With the length of what is there, libspng takes the last byte before it finds the end.
      segments.append(.owned(imageDataHeader(byteCount: cut.payload.count)))
      segments.append(.input(cut.payload))
    }
    guard !segments.isEmpty else { return Outcome(failure: .truncated(.png, byteCount: bytes.count)) }
    let source = source(header: structure.header, imageData: segments)
    var outcome = try read(source, size: structure.header.size, into: pixels, bytesPerRow: bytesPerRow)
    if outcome.failure == nil { outcome.failure = uncheckedDamage(from: source.inputPosition) }
    return outcome
  }

  /// Reads a frame into `pixels`, the first pixel of the frame's place on a canvas whose rows are `bytesPerRow`
  /// apart. Disposal and blending are the caller's.
  func read(
    _ frame: PNGFrame, into pixels: UnsafeMutableRawPointer, bytesPerRow: Int
  ) throws(ImagingError) -> Outcome {
    guard case .frameData(let range) = frame.pixels else {
      return try readImage(into: pixels, bytesPerRow: bytesPerRow)
    }
    let (stream, damage) = imageData(inFrameData: range)
    let source = source(header: structure.header.resized(to: frame.size), imageData: [.owned(stream)])
    var outcome = try read(source, size: frame.size, into: pixels, bytesPerRow: bytesPerRow)
    outcome.failure = damage ?? outcome.failure
    return outcome
  }

  private func source(header: PNGHeader, imageData: [PNGByteSource.Segment]) -> PNGByteSource {
    var segments: [PNGByteSource.Segment] = [.owned(header.encoded)]
    if let palette = structure.palette {
      // More colours than the depth can name are harmless, but libspng refuses them.
      let colors = bytes[palette.payload].prefix(3 << header.bitDepth)
      segments.append(.owned(PNGChecksum.chunk(.palette, Array(colors))))
    }
    if let transparency = structure.transparency {
      segments.append(.owned(PNGChecksum.chunk(.transparency, transparencyValues(transparency, header))))
    }
    segments += imageData
    if structure.cutImageData == nil { segments.append(.owned(PNGChecksum.chunk(.end, []))) }
    return PNGByteSource(bytes, segments: segments)
  }

  /// The data of a tRNS chunk. Of a sample, only as many bits count as the image has (11.3.1.1).
  private func transparencyValues(_ chunk: PNGChunk, _ header: PNGHeader) -> [UInt8] {
    var values = Array(bytes[chunk.payload])
    if header.colorType != .indexed && header.bitDepth < 16 {
      for high in stride(from: 0, to: values.count - 1, by: 2) {
        values[high] = 0
        values[high + 1] &= UInt8(truncatingIfNeeded: (1 << Int(header.bitDepth)) - 1)
      }
    }
    return values
  }

  private func imageDataHeader(byteCount: Int) -> [UInt8] {
    UInt32(truncatingIfNeeded: byteCount).bigEndianBytes + PNGChunkType.imageData.bytes
  }

  /// The fdAT chunks in `range` as one IDAT chunk, up to the first damaged one.
  private func imageData(inFrameData range: Range<Int>) -> (stream: [UInt8], damage: ImagingError?) {
    var cursor = PNGChunkCursor(
      UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), from: range.lowerBound)
    var stream = imageDataHeader(byteCount: 0)
    stream.reserveCapacity(range.count + 12)
    var damage: ImagingError?
    // The walk over the structure went through these chunks before: the cursor cannot throw here.
    while damage == nil, let chunk = try? cursor.next() {
      guard chunk.type == .frameData, chunk.payload.count >= 4 else { continue }
      if !chunk.isComplete {
        damage = .truncated(.apng, byteCount: bytes.count)
      } else if !cursor.hasValidCRC(chunk) {
        damage = .corrupt(.apng, reason: "the CRC of an fdAT chunk is wrong", offset: chunk.range.lowerBound)
        break
      }
      stream.append(contentsOf: bytes[chunk.payload.dropFirst(4)])
    }
    let count = stream.count - 8
    guard count <= Int(Int32.max) else {
      return ([], .limitExceeded(.bytes, value: count, limit: Int(Int32.max)))
    }
    stream.replaceSubrange(..<8, with: imageDataHeader(byteCount: count))
    if damage == nil {
      let crc = stream.withUnsafeBytes {
        PNGChecksum.crc(of: UnsafeRawBufferPointer(rebasing: $0.dropFirst(4)))
      }
      stream += crc.bigEndianBytes
    }
    return (stream, damage)
  }

  private func read(
    _ source: PNGByteSource, size: PixelSize, into pixels: UnsafeMutableRawPointer, bytesPerRow: Int
  ) throws(ImagingError) -> Outcome {
    // The palette and its transparency are all that libspng stores.
    let context = try SPNGContext(reading: source, chunkLimit: 64 << 10)
    // The handle alone does not keep its owner alive.
    defer { withExtendedLifetime(context) {} }
    let rowBytes = size.width * 4
    var status = spng_set_image_limits(
      context.handle, UInt32(truncatingIfNeeded: size.width), UInt32(truncatingIfNeeded: size.height))
    if status == 0 {
      status = spng_decode_image(
        context.handle, nil, 0, CInt(SPNG_FMT_RGBA8.rawValue),
        CInt(SPNG_DECODE_TRNS.rawValue | SPNG_DECODE_PROGRESSIVE.rawValue))
    }
    var outcome = Outcome()
    let rowsBetweenChecks = max(1, (256 << 10) / rowBytes)
    var info = spng_row_info()
    while status == 0 {
      if outcome.rows % rowsBetweenChecks == 0 && Task.isCancelled { throw .cancelled }
      status = spng_get_row_info(context.handle, &info)
      guard status == 0 else { break }
      // Checked although libspng promises it: a wrong row would write outside the picture.
      guard Int(info.row_num) < size.height else {
        throw .corrupt(.png, reason: "row \(info.row_num) of \(size.height)", offset: nil)
      }
      status = spng_decode_row(context.handle, pixels + Int(info.row_num) * bytesPerRow, rowBytes)
      if status == 0 || status == SPNG_EOI.code { outcome.rows += 1 }
    }
    if status != SPNG_EOI.code { outcome.failure = failure(status, rows: outcome.rows) }
    return outcome
  }

  private func failure(_ status: CInt, rows: Int) -> ImagingError {
    let endsEarly = [SPNG_IO_EOF.rawValue, SPNG_EOF.code, SPNG_EIDAT_TOO_SHORT.code].contains(status)
    if endsEarly {
      if structure.isTruncated { return .truncated(.png, byteCount: bytes.count) }
      return .corrupt(.png, reason: "the image data ends after \(rows) rows", offset: nil)
    }
    return SPNGContext.error(status)
  }

  /// Checks the IDAT chunks whose CRC libspng did not reach: it stops at the last row.
  private func uncheckedDamage(from position: Int) -> ImagingError? {
    guard let run = structure.imageData else { return nil }
    var cursor = PNGChunkCursor(
      UnsafeRawBufferPointer(rebasing: bytes[..<run.upperBound]), from: run.lowerBound)
    while let chunk = try? cursor.next() {
      if chunk.range.upperBound > position, !cursor.hasValidCRC(chunk) {
        return .corrupt(.png, reason: "the CRC of an IDAT chunk is wrong", offset: chunk.range.lowerBound)
      }
    }
    return nil
  }
}
