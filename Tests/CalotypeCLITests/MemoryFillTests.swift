import FoundationEssentials
import Testing

/// Pixels and metadata do not depend on what was in memory before: a difference between two fills is a read of bytes that
/// nobody wrote.
@Suite("Memory fills", .timeLimit(.minutes(5)))
struct MemoryFillTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "Fixtures")

  /// Pictures of all formats, whole and damaged, that are decoded in little time.
  private static let paths: [String] = {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: fixtures.path)) ?? []
    return paths.sorted().map { fixtures.appending(path: $0).path }.filter { path in
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      return ["png", "apng", "gif", "jpg", "webp"].contains(URL(filePath: path).pathExtension)
        && (size ?? .max) < 24 << 10
    }
  }()

  /// The output of a command with memory full of a byte: that of the pools, and that of malloc.
  private static func output(_ fill: Int, _ arguments: [String]) throws -> String {
    // Malloc fills with the complement.
    let environment = ["CALOTYPE_MEMORY_FILL": String(fill), "MALLOC_PERTURB_": String(255 - fill)]
    return try Tool.run(arguments, environment: environment).output
  }

  @Test(
    "pixels and metadata of the fixtures",
    arguments: [
      ["--hash"], ["--hash", "--upright", "--srgb", "--facts"], ["--hash", "--chunk", "613"],
      ["--hash", "--coders", "libraries"],
    ])
  func information(_ options: [String]) throws {
    #expect(Self.paths.count > 300)
    let arguments = ["info", "--json"] + options + Self.paths
    let outputs = try [0xA5, 0x3C].map { try Self.output($0, arguments).split(separator: "\n") }
    #expect(outputs[0].count == Self.paths.count && outputs[1].count == Self.paths.count)
    #expect(outputs[0].filter { $0.contains("pixelsSHA256") }.count > 200)
    for (one, other) in zip(outputs[0], outputs[1]) { #expect(one == other) }
  }

  @Test("thumbnails and transformed pictures of the fixtures")
  func thumbnails() throws {
    let folder = try Tool.Folder()
    for (name, fill) in [("one", 0xA5), ("other", 0x3C)] {
      _ = try Self.output(
        fill,
        [
          "get", "--no-cache", "--quiet", "--thumbnail", "19x17", "--transform", "blur:2", "--format", "rgba",
          "-o",
        ]
          + [folder.file(name + "/")] + Self.paths)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("one")).sorted()
    #expect(try names == FileManager.default.contentsOfDirectory(atPath: folder.file("other")).sorted())
    #expect(names.count > 200)
    for name in names {
      let one = try Data(contentsOf: URL(filePath: folder.file("one/" + name)))
      #expect(try one == Data(contentsOf: URL(filePath: folder.file("other/" + name))), "\(name)")
    }
  }
}
