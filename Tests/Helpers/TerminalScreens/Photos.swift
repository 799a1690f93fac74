package import FoundationEssentials

/// The sample photos that the project carries, and its fixtures.
package enum Photos {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  package static func path(_ name: String) -> String { root.appending(path: "Examples/Photos/\(name)").path }
  package static func fixture(_ name: String) -> String {
    root.appending(path: "Tests/Fixtures/Corpus/\(name)").path
  }
  package static func data(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }
}
