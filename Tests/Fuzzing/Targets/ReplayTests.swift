import FoundationEssentials
import Testing

/// Inputs of the fuzz targets, run once more: what once broke something, and what together reaches all that fuzzing
/// has reached.
@Suite("Fuzzing, replayed")
struct ReplayTests {
  struct Crasher: CustomTestStringConvertible {
    let target: FuzzTarget
    let file: URL
    var testDescription: String { target.name + "/" + file.lastPathComponent }
  }

  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let crashers = tests.appending(path: "Fixtures/Crashers")
  private static let corpus = tests.appending(path: "Fuzzing/Corpus")

  private static func files(_ target: FuzzTarget, in folder: URL) -> [URL] {
    let folder = folder.appending(path: target.name)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appending(path: $0) }
  }

  static let allCrashers: [Crasher] = FuzzTarget.all.flatMap { target in
    files(target, in: crashers).map { Crasher(target: target, file: $0) }
  }

  @Test(arguments: allCrashers) func staysFixed(_ crasher: Crasher) throws {
    try crasher.target.run(crasher.file)
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func keepsItsPromises(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let files = Self.files(target, in: Self.corpus)
    #expect(!files.isEmpty)
    for file in files {
      #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.run(file) }
    }
  }

  /// A folder for a target that was renamed would never be read.
  @Test(arguments: [crashers, corpus]) func everyFolderHasItsTarget(_ folder: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    // Those of traits, which the tests may be built without.
    let optional = [
      "avif", "avif-incremental", "avif-frames", "heif", "hevc-parameters", "jxl", "jxl-frames", "svg-text",
      "tiff",
    ]
    let targets = Set(FuzzTarget.all.map(\.name) + optional)
    #expect(names.filter { !targets.contains($0) && $0 != "README.md" } == [])
  }
}

extension FuzzTarget {
  fileprivate func run(_ file: URL) throws {
    try Data(contentsOf: file).withUnsafeBytes { try run(FuzzInput($0)) }
  }
}
