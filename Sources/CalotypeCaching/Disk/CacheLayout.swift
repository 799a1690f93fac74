/// Where the files of a ``DiskCache`` are: `folder/v1/xx/yyyy…` for records, by the digits of the key's digest, and
/// `folder/v1/tmp/` for files that are being written. Nothing else in the folder is ever touched, `folder/partial/`
/// included, where programs may keep parts of downloads.
struct CacheLayout: Sendable {
  let folder: String

  init(folder: String) {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.folder = folder
  }

  /// The version of the record format; another one lives beside it without being seen.
  static let versionName = "v1"
  static let tagName = "CACHEDIR.TAG"
  /// What does not make a folder somebody else's.
  static let ownNames: Set<String> = [versionName, "partial"]

  /// What marks a folder as a cache for backup programs (https://bford.info/cachedir/).
  static let tag = """
    Signature: 8a477f597d28d172789f06886806bc55
    # This file is a cache directory tag created by Calotype.
    # For information about cache directory tags see https://bford.info/cachedir/

    """

  var version: String { "\(folder)/\(Self.versionName)" }
  var temporaries: String { "\(version)/tmp" }
  var tag: String { "\(folder)/\(Self.tagName)" }

  /// The 256 folders of records: `00` to `ff`.
  static let fanOut: [String] = (0..<256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

  func fanOutFolder(_ name: String) -> String { "\(version)/\(name)" }

  func fanOutFolder(of digest: Digest256) -> String {
    fanOutFolder(Self.fanOut[Int(digest.word0 >> 56)])
  }

  func record(_ digest: Digest256) -> String {
    "\(fanOutFolder(of: digest))/\(digest.hex.dropFirst(2))"
  }

  /// The digest that a file in a fan-out folder is named by; `nil` when it is none of ours.
  static func digest(fanOut: String, name: String) -> Digest256? {
    guard name.utf8.count == 62 else { return nil }
    return Digest256(hex: fanOut + name)
  }
}
