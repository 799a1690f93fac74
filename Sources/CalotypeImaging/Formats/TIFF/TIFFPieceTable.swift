/// The places of the strips or tiles of a directory in the file.
struct TIFFPieceTable {
  private let bytes: UnsafeRawBufferPointer
  private let file: TIFFFile
  private let offsets: TIFFEntry?
  private let counts: TIFFEntry?

  init(_ directory: TIFFDirectory, _ bytes: UnsafeRawBufferPointer, in file: TIFFFile, isTiled: Bool) {
    (self.bytes, self.file) = (bytes, file)
    // Some writers list tiles as if they were strips.
    offsets = (isTiled ? directory.entries[.tileOffsets] : nil) ?? directory.entries[.stripOffsets]
    counts = (isTiled ? directory.entries[.tileByteCounts] : nil) ?? directory.entries[.stripByteCounts]
  }

  /// Returns the start of a piece; `nil` if it is behind the file.
  func start(of piece: Int) -> Int? {
    let span = RawSpan(_unsafeBytes: bytes)
    guard let start = offsets?.integer(at: piece, span, in: file), start < bytes.count else { return nil }
    return start
  }

  /// Returns the place of the compressed bytes of a piece; `nil` if it reaches behind the file. Empty if its length is not
  /// known.
  func range(of piece: Int) -> Range<Int>? {
    let span = RawSpan(_unsafeBytes: bytes)
    guard let start = start(of: piece) else { return nil }
    let count = counts?.integer(at: piece, span, in: file) ?? 0
    guard count <= bytes.count - start else { return nil }
    return start..<start + count
  }
}
