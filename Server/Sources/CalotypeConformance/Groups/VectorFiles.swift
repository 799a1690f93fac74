import CalotypeSettings

/// The files that vectors speak of.
struct VectorFiles: FileReading {
  private let files: [String: String]

  init(_ files: [String: String]) { self.files = files }

  func read(_ path: String, limit: Int) throws(FileReadingError) -> SettingsFile {
    guard let text = files[path] else { throw .system(errno: 2) }
    return SettingsFile(bytes: Array(text.utf8), mode: 0o600)
  }
}
