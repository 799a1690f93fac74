import Glibc

/// The compressed pixels of a picture: the contents of its IDAT or fdAT chunks, in order.
struct PNGImageData {
  /// The contents of one chunk, as far as there is input.
  struct Piece {
    let bytes: UnsafeRawBufferPointer
    /// The error of the chunk: its CRC is wrong, or it is not complete.
    let damage: ImagingError?
  }

  private let bytes: UnsafeRawBufferPointer
  private let range: Range<Int>
  private let cut: PNGChunk?
  private let isFrame: Bool

  /// Creates the data of the default image.
  init(_ bytes: UnsafeRawBufferPointer, _ structure: PNGStructure) {
    self.bytes = bytes
    range = structure.imageData ?? 0..<0
    cut = structure.cutImageData
    isFrame = false
  }

  /// Creates the data of a frame.
  init(_ bytes: UnsafeRawBufferPointer, _ structure: PNGStructure, _ frame: PNGFrame) {
    self.bytes = bytes
    switch frame.pixels {
    case .imageData:
      range = structure.imageData ?? 0..<0
      cut = structure.cutImageData
      isFrame = false
    case .frameData(let range):
      self.range = range
      cut = nil
      isFrame = true
    }
  }

  /// Calls `body` with each piece until it returns `false`. Does not check for damage without `checks`.
  func forEach(
    checks: Bool = true, _ body: (Piece) throws(ImagingError) -> Bool
  ) throws(ImagingError) {
    var cursor = PNGChunkCursor(
      UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), from: range.lowerBound)
    // The walk over the structure has read these chunks before: the cursor cannot throw here.
    while let chunk = try? cursor.next() {
      guard !isFrame || (chunk.type == .frameData && chunk.payload.count >= 4) else { continue }
      let payload = isFrame ? chunk.payload.dropFirst(4) : chunk.payload
      var damage: ImagingError?
      if !chunk.isComplete {
        damage = .truncated(.apng, byteCount: bytes.count)
      } else if checks && !cursor.hasValidCRC(chunk) {
        damage = .corrupt(
          isFrame ? .apng : .png, reason: "the CRC of an \(chunk.type) chunk is wrong",
          offset: chunk.range.lowerBound)
      }
      let piece = Piece(bytes: UnsafeRawBufferPointer(rebasing: bytes[payload]), damage: damage)
      guard try body(piece) else { return }
    }
    if let cut {
      _ = try body(Piece(bytes: UnsafeRawBufferPointer(rebasing: bytes[cut.payload]), damage: nil))
    }
  }

  /// Bytes of all pieces; `nil` if one of them is damaged or missing.
  var soundByteCount: Int? {
    guard cut == nil else { return nil }
    var count: Int? = 0
    try? forEach { (piece: Piece) throws(ImagingError) in
      count = piece.damage == nil ? count.map { $0 + piece.bytes.count } : nil
      return count != nil
    }
    return count
  }

  /// Calls `body` with all pieces as one buffer: in place, if there is only one piece, otherwise gathered in `scratch`,
  /// or in separate memory if they do not fit there.
  func withStream(
    byteCount: Int, scratch: UnsafeMutableRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Bool
  ) throws(ImagingError) -> Bool {
    var single: UnsafeRawBufferPointer?
    var isSingle = true
    try forEach(checks: false) { (piece: Piece) throws(ImagingError) in
      guard !piece.bytes.isEmpty else { return true }
      isSingle = single == nil
      single = piece.bytes
      return isSingle
    }
    if let single, isSingle { return try body(single) }
    if byteCount <= scratch.count {
      return try body(try gather(into: scratch))
    }
    guard let own = PixelPool.shared.take(byteCount: byteCount) else {
      throw .outOfMemory(byteCount: byteCount)
    }
    defer { PixelPool.shared.giveBack(own) }
    return try body(try gather(into: own))
  }

  private func gather(into target: UnsafeMutableRawBufferPointer) throws(ImagingError)
    -> UnsafeRawBufferPointer
  {
    var count = 0
    try forEach(checks: false) { (piece: Piece) throws(ImagingError) in
      UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyMemory(from: piece.bytes)
      count += piece.bytes.count
      return true
    }
    return UnsafeRawBufferPointer(rebasing: target[..<count])
  }
}
