import CalotypeSupport

/// Where the files of a ``DiskCache`` are.
///
/// `folder/v2/xx/yyyy…` are records, by the digits of the key's digest, `v2/index` and `v2/journal` the list of them,
/// `v2/lock` is held by whoever writes, and `v2/tmp/` has what is being written. A namespace is such a `v2` in
/// `folder/namespaces/name/`. Nothing else in the folder is ever touched, `folder/partial/` included, where programs
/// may keep parts of downloads.
struct CacheLayout: Sendable {
  /// The folder that the user chose.
  let folder: String
  /// What holds the records and all about them.
  let version: String

  init(folder: String, namespace: String? = nil) {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.folder = folder
    let root = namespace.map { "\(folder)/\(Self.namespacesName)/\(Self.fileName(of: $0))" } ?? folder
    version = "\(root)/\(Self.versionName)"
  }

  /// A name that no text can lead out of a folder with: letters, digits, `-` and `_` stay, all other bytes become
  /// `%XX`. What would be too long for a file system ends in the digest of the whole.
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

  /// The folder that holds a name.
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

  /// The version of the record format; another one lives beside it without being seen.
  static let versionName = "v2"
  static let tagName = "CACHEDIR.TAG"
  /// What does not make a folder somebody else's.
  static let ownNames: Set<String> = [versionName, namespacesName, "partial"]
  static let namespacesName = "namespaces"

  /// What marks a folder as a cache for backup programs (https://bford.info/cachedir/).
  static let tag = """
    Signature: 8a477f597d28d172789f06886806bc55
    # This file is a cache directory tag created by Calotype.
    # For information about cache directory tags see https://bford.info/cachedir/

    """

  /// For files that are being written; only whoever has the lock writes here.
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
    // Written at one go: this is asked before every read.
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

  /// The digest that a file in a fan-out folder is named by; `nil` when it is none of ours.
  static func digest(fanOut: String, name: String) -> Digest256? {
    guard name.utf8.count == 62 else { return nil }
    return Digest256(hex: fanOut + name)
  }
}
