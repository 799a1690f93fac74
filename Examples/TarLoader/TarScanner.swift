import FoundationEssentials

/// Goes through an archive from header to header. The contents in between are not read.
struct TarScanner {
  private let file: TarFile
  private let limits: TarLimits
  private var index = TarIndex()
  /// Of the header to read next.
  private var offset = 0
  private var entryCount = 0
  private var headerBytes = 0
  private var nameBytes = 0
  /// The fields of pax and GNU headers for the next entry.
  private var pax: PaxRecords?
  private var longName: [UInt8]?
  private var hasLongLink = false

  private init(_ file: TarFile, limits: TarLimits) {
    self.file = file
    self.limits = limits
  }

  /// The index of an archive. Blocks.
  ///
  /// - Throws: ``TarDamage``; `LoadingError` when the file cannot be read; `CancellationError`.
  static func index(of file: TarFile, limits: TarLimits) throws -> TarIndex {
    var scanner = TarScanner(file, limits: limits)
    while true {
      try Task.checkCancellation()
      let start = scanner.offset
      do {
        guard try scanner.step() else { return scanner.index }
      } catch let damage as TarDamage {
        throw TarDamage("at byte \(start), \(damage.reason)")
      }
    }
  }

  /// Reads a header and what belongs to it. Returns whether there may be another.
  private mutating func step() throws -> Bool {
    guard let header = try TarHeader(read(TarHeader.byteCount)) else {
      guard pax == nil, longName == nil, !hasLongLink else {
        throw TarDamage("an extended header is followed by no entry")
      }
      return false
    }
    switch header.type {
    case UInt8(ascii: "x"):
      guard pax == nil else { throw TarDamage("an extended header follows another one of its kind") }
      pax = try PaxRecords(extendedHeader(header))
    case UInt8(ascii: "g"):
      // Times and owners for all that follows; a name or size for all of them cannot be meant.
      let records = try PaxRecords(extendedHeader(header))
      guard records.path == nil, records.size == nil, !records.isSparse else {
        throw TarDamage("a global pax header names entries or sizes, which is not supported")
      }
    case UInt8(ascii: "L"):
      guard longName == nil else { throw TarDamage("a long name follows another one") }
      longName = try extendedHeader(header).prefix { $0 != 0 }.map { $0 }
    case UInt8(ascii: "K"):
      guard !hasLongLink else { throw TarDamage("a long name of a link follows another one") }
      _ = try extendedHeader(header)
      hasLongLink = true
    default:
      try entry(header)
    }
    return true
  }

  private mutating func entry(_ header: TarHeader) throws {
    defer {
      pax = nil
      longName = nil
      hasLongLink = false
    }
    entryCount += 1
    guard entryCount <= limits.entries else {
      throw TarDamage("it has more than \(limits.entries) entries; raise the limit to allow it")
    }
    let stored = pax?.path ?? longName ?? header.name
    guard stored.count <= TarName.byteLimit else {
      throw TarDamage("it has a name of \(stored.count) bytes; at most \(TarName.byteLimit) are allowed")
    }
    var kind = TarIndex.Kind(type: header.type)
    if kind == .file, pax?.isSparse == true { kind = .sparseFile }
    // Before there was a type for folders.
    if kind == .file, stored.last == UInt8(ascii: "/") { kind = .folder }

    if header.type == UInt8(ascii: "S") {
      var hasMore = header.hasMoreHoles
      while hasMore { hasMore = try read(TarHeader.byteCount)[504] != 0 }
    }
    let size = try contents(of: header)
    let start = offset
    try skip(size)
    guard let name = TarName.normalized(stored) else { return }
    nameBytes += name.count
    guard nameBytes <= limits.nameBytes else {
      throw TarDamage("its names have more than \(limits.nameBytes) bytes; raise the limit to allow it")
    }
    index.add(TarIndex.Entry(kind: kind, offset: start, size: size), name: name)
  }

  /// Bytes between this header and the next, without padding.
  private func contents(of header: TarHeader) throws -> Int {
    switch TarIndex.Kind(type: header.type) {
    case .symbolicLink, .device, .fifo: return 0
    // The size of a folder in a header of type 5 is room to set aside for it.
    case .folder where header.type == UInt8(ascii: "5"): return 0
    case .hardLink:
      let size = try pax?.size ?? header.size()
      // Some programs store the bytes with the link, others only their number: where the next header is, is not known.
      guard size == 0 else { throw TarDamage("a hard link has a size, which can mean two things") }
      return 0
    default: return try pax?.size ?? header.size()
    }
  }

  private mutating func extendedHeader(_ header: TarHeader) throws -> [UInt8] {
    let size = try header.size()
    guard size <= TarLimits.extendedHeaderBytes else {
      throw TarDamage(
        "an extended header has \(size) bytes; at most \(TarLimits.extendedHeaderBytes) are allowed")
    }
    let bytes = try read(size)
    try skip(0, after: size)
    return bytes
  }

  /// The next bytes of headers.
  private mutating func read(_ count: Int) throws -> [UInt8] {
    guard count <= file.size - offset else { throw TarDamage("the archive is cut off") }
    guard count <= limits.headerBytes - headerBytes else {
      throw TarDamage("its headers have more than \(limits.headerBytes) bytes; raise the limit to allow it")
    }
    headerBytes += count
    let bytes = try file.read(at: offset, count: count)
    guard bytes.count == count else { throw TarDamage("the archive is cut off") }
    offset += count
    return [UInt8](bytes)
  }

  /// Leaves `count` bytes out, and what is left of the last block.
  private mutating func skip(_ count: Int, after read: Int = 0) throws {
    guard count <= file.size - offset else {
      throw TarDamage("an entry of \(count) bytes reaches beyond the end of the archive")
    }
    let padding = (TarHeader.byteCount - (count + read) % TarHeader.byteCount) % TarHeader.byteCount
    guard padding <= file.size - offset - count else { throw TarDamage("the archive is cut off") }
    offset += count + padding
  }
}
