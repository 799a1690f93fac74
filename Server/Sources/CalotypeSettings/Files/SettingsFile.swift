/// The bytes of a file with settings, and who may read and write it.
public struct SettingsFile: Hashable, Sendable {
  /// The bytes.
  public let bytes: [UInt8]
  /// The permissions, as of `chmod`.
  public let mode: UInt32

  /// Describes a file.
  public init(bytes: [UInt8], mode: UInt32) {
    self.bytes = bytes
    self.mode = mode
  }

  /// Whether other users than the owner may change the file.
  var isWritableByOthers: Bool { mode & 0o022 != 0 }
  /// Whether users outside the group may read the file.
  var isReadableByOthers: Bool { mode & 0o004 != 0 }
}
