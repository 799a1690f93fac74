import CalotypeSupport

/// The paths of the files of a ``DiskCache``.
///
/// `folder/v2/xx/yyyy…` are records, by the digits of the key's digest, `yyyy….cccc…` beside them payloads that they share
/// with others, by the digits of the checksum, `v2/index` and `v2/journal` list them, the
/// writing process holds `v2/lock`, and `v2/tmp/` holds unfinished files. A namespace is such a `v2` in
/// `folder/namespaces/name/`. Nothing else in the folder is ever touched. Programs may keep parts of downloads in
/// `folder/partial/`.
struct CacheLayout: Sendable {
  /// The folder that the user chose.
  let folder: String
  /// The folder of the records, the index and the lock.
  let version: String

  init(folder: String, namespace: String? = nil) {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.folder = folder
    let root = namespace.map { "\(folder)/\(Self.namespacesName)/\(Self.fileName(of: $0))" } ?? folder
    version = "\(root)/\(Self.versionName)"
  }

  /// Returns a file name for any text that cannot lead out of a folder: letters, digits, `-` and `_` stay, all other
  /// bytes become `%XX`. A name too long for a file system is truncated and ends in the digest of the text.
  static func fileName(of namespace: String) -> String {
    var name = ""
    for byte in namespace.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        name += "%" + Hex.encode(CollectionOfOne(byte)).uppercased()
      }
    }
    if name.isEmpty { return "%" }
    return name.utf8.count <= 200 ? name : name.prefix(100) + "%-" + CacheKey(namespace).hexDigest
  }

  /// The folder that contains a name.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// The folders that hold the names of ``version`` and of those above it, up to ``folder``, innermost first.
  var holders: [String] {
    var holders: [String] = []
    var path = version
    repeat {
      path = Self.parent(of: path)
      holders.append(path)
    } while path != folder && path != "/"
    return holders
  }

  /// The version of the record format; other versions live beside it and are ignored.
  static let versionName = "v2"
  static let tagName = "CACHEDIR.TAG"
  /// Names in a folder that do not mark it as a folder of another program.
  static let ownNames: Set<String> = [versionName, namespacesName, "partial"]
  static let namespacesName = "namespaces"

  /// Marks a folder as a cache for backup programs (https://bford.info/cachedir/).
  static let tag = """
    Signature: 8a477f597d28d172789f06886806bc55
    # This file is a cache directory tag created by Calotype.
    # For information about cache directory tags see https://bford.info/cachedir/

    """

  /// The folder for unfinished files. Only the holder of the lock writes here.
  var temporaries: String { "\(version)/tmp" }
  var temporary: String { "\(temporaries)/new" }
  var index: String { "\(version)/index" }
  var journal: String { "\(version)/journal" }
  var lock: String { "\(version)/lock" }
  var tag: String { "\(folder)/\(Self.tagName)" }

  /// The 256 folders of records: `00` to `ff`.
  static let fanOut: [String] = (0...255).map { Hex.encode(CollectionOfOne($0)) }

  func fanOutFolder(_ name: String) -> String { "\(version)/\(name)" }

  func fanOutFolder(of digest: Digest256) -> String {
    fanOutFolder(Self.fanOut[Int(digest.word0 >> 56)])
  }

  func record(_ digest: Digest256) -> String {
    // Built in a single buffer, because every read needs the path.
    var version = version
    return version.withUTF8 { version in
      String(unsafeUninitializedCapacity: version.count + 66) { buffer in
        _ = buffer.update(fromContentsOf: version)
        var index = version.count
        buffer[index] = UInt8(ascii: "/")
        index += 1
        digest.forEachHexDigit { position, digit in
          if position == 2 {
            buffer[index] = UInt8(ascii: "/")
            index += 1
          }
          buffer[index] = digit
          index += 1
        }
        return index
      }
    }
  }

  /// The second name of a file whose payload a record shares.
  func payload(_ digest: Digest256, _ checksum: Checksum) -> String {
    let digits = String(checksum.value, radix: 16)
    return "\(record(digest)).\(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }

  /// Returns the digest of the record that a file in a fan-out folder belongs to as its shared payload; `nil` when the
  /// file is no such payload.
  static func payloadOwner(fanOut: String, name: String) -> Digest256? {
    let digits = name.utf8
    guard digits.count == 79, let dot = digits.firstIndex(of: UInt8(ascii: ".")),
      digits.distance(from: digits.startIndex, to: dot) == 62,
      digits[dot...].dropFirst().allSatisfy({
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      })
    else { return nil }
    return Digest256(hex: fanOut + name.prefix(62))
  }

  /// Returns the digest that names a file in a fan-out folder; `nil` when the file is not a record.
  static func digest(fanOut: String, name: String) -> Digest256? {
    guard name.utf8.count == 62 else { return nil }
    return Digest256(hex: fanOut + name)
  }
}
