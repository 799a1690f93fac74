import FoundationEssentials
import Testing

/// Inputs that once broke something, in a folder for each target.
@Suite("Crashers")
struct CrasherTests {
  struct Crasher: CustomTestStringConvertible {
    let target: FuzzTarget
    let file: URL
    var testDescription: String { target.name + "/" + file.lastPathComponent }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/Crashers")

  static let crashers: [Crasher] = FuzzTarget.all.flatMap { target -> [Crasher] in
    let folder = Self.folder.appending(path: target.name)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { Crasher(target: target, file: folder.appending(path: $0)) }
  }

  @Test(arguments: crashers) func staysFixed(_ crasher: Crasher) throws {
    let data = try Data(contentsOf: crasher.file)
    try data.withUnsafeBytes { try crasher.target.run(FuzzInput($0)) }
  }

  /// A folder for a target that was renamed would never be read.
  @Test func everyFolderHasItsTarget() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let targets = Set(FuzzTarget.all.map(\.name))
    #expect(names.filter { !targets.contains($0) && $0 != "README.md" } == [])
  }
}
