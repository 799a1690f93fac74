import FoundationEssentials

/// The images that the project carries for its tests: `Tests/Fixtures`.
enum Fixture {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

  static func data(_ path: String) throws -> Data {
    try Data(contentsOf: folder.appending(path: path))
  }
}
