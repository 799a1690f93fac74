/// Where the entries of an archive are.
struct TarIndex: Sendable {
  /// One entry.
  struct Entry: Hashable, Sendable {
    let kind: Kind
    /// Of its contents, from the start of the archive.
    let offset: Int
    /// Of its contents, in bytes.
    let size: Int
  }

  /// The kind of an entry.
  enum Kind: Hashable, Sendable {
    case file, folder, hardLink, symbolicLink, device, fifo, sparseFile
    case other(UInt8)

    init(type: UInt8) {
      switch type {
      // 7 is a contiguous file, which nothing makes.
      case 0, UInt8(ascii: "0"), UInt8(ascii: "7"): self = .file
      case UInt8(ascii: "1"): self = .hardLink
      case UInt8(ascii: "2"): self = .symbolicLink
      case UInt8(ascii: "3"), UInt8(ascii: "4"): self = .device
      case UInt8(ascii: "5"), UInt8(ascii: "D"): self = .folder
      case UInt8(ascii: "6"): self = .fifo
      case UInt8(ascii: "S"): self = .sparseFile
      default: self = .other(type)
      }
    }

    /// The reason why it has no bytes to give out; `nil` for a file.
    var refusal: String? {
      switch self {
      case .file: nil
      case .folder: "a folder"
      case .hardLink: "a hard link; ask for the entry it stands for"
      case .symbolicLink: "a symbolic link; ask for the entry it stands for"
      case .device: "a device"
      case .fifo: "a FIFO"
      case .sparseFile: "a sparse file, whose holes are not stored"
      case .other(let type): "an entry of the unknown type \(type)"
      }
    }
  }

  private var entries: [[UInt8]: Entry] = [:]

  /// The entry of a name as ``TarName`` has it.
  subscript(name: [UInt8]) -> Entry? { entries[name] }

  /// Adds an entry; it hides an earlier one of the same name, as it would when they are unpacked one after the other.
  mutating func add(_ entry: Entry, name: [UInt8]) {
    entries[name] = entry
  }
}
