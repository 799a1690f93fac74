/// Reads the files that settings name.
public protocol FileReading: Sendable {
  /// The bytes and the mode of a regular file of at most `limit` bytes.
  func read(_ path: String, limit: Int) throws(FileReadingError) -> SettingsFile
}
