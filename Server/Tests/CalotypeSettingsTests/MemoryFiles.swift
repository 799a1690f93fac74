import CalotypeSettings

/// Files that are in memory.
struct MemoryFiles: FileReading {
  private var files: [String: SettingsFile] = [:]

  init(_ texts: [String: String] = [:], mode: UInt32 = 0o600) {
    for (path, text) in texts { self[path] = SettingsFile(bytes: Array(text.utf8), mode: mode) }
  }

  subscript(path: String) -> SettingsFile? {
    get { files[path] }
    set { files[path] = newValue }
  }

  func read(_ path: String, limit: Int) throws(FileReadingError) -> SettingsFile {
    guard let file = files[path] else { throw .system(errno: 2) }
    guard file.bytes.count <= limit else { throw .tooLong(limit: limit) }
    return file
  }
}
