import FoundationEssentials

/// An entry of a tar archive.
struct TarEntry {
  enum Kind: Equatable {
    case file
    case folder
    /// Anything else, by its noun.
    case other(String)
  }

  let name: String
  let kind: Kind
  /// The number of bytes of the contents.
  let size: Int
  let modified: Date

  init(_ header: TarHeader, _ pax: PaxRecords, hasLongName: Bool) {
    // Characters that are not UTF-8 occur in no name of a record.
    name = String(decoding: pax.path ?? header.name, as: UTF8.self)
    size = pax.size ?? header.size
    modified = Date(timeIntervalSince1970: Double(pax.modified ?? header.modified))
    kind =
      switch header.type {
      case _ where hasLongName: .other("a file with a long name")
      case UInt8(ascii: "0"), UInt8(ascii: "7"), 0: pax.isSparse ? .other("a sparse file") : .file
      case UInt8(ascii: "1"), UInt8(ascii: "2"): .other("a link")
      case UInt8(ascii: "3"), UInt8(ascii: "4"): .other("a device")
      case UInt8(ascii: "5"): .folder
      case UInt8(ascii: "6"): .other("a pipe")
      case UInt8(ascii: "S"): .other("a sparse file")
      default: .other("of an unknown kind")
      }
  }
}
