import FoundationEssentials

/// The sample photos that the project carries, and its fixtures.
enum Photos {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func path(_ name: String) -> String { root.appending(path: "Examples/Photos/\(name)").path }
  static func fixture(_ name: String) -> String { root.appending(path: "Tests/Fixtures/Corpus/\(name)").path }
  static func data(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }
}
