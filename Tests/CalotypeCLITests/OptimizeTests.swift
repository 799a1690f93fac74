import CXattr
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

@testable import CalotypeCLI

@Suite("Command: optimize")
struct OptimizeTests {
  /// A PNG that can get smaller.
  private func large() throws -> Data { try Photos.data("brushes.png") }

  @Test("files get smaller in place, and show the same")
  func inPlace() throws {
    let folder = try Tool.Folder()
    let file = folder.file("a.png")
    try large().write(to: URL(filePath: file))
    chmod(file, 0o640)
    let hash = try Tool.run("info", "--json", "--hash", file).jsonLines()[0].pixelsSHA256
    let dry = try Tool.run("optimize", "--dry-run", "--effort", "fast", "--json", file)
    #expect(try dry.status == 0 && large() == Data(contentsOf: URL(filePath: file)))
    let run = try Tool.run("optimize", "--json", file)
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("\"outcome\":\"optimized\""))
    #expect(try Data(contentsOf: URL(filePath: file)).count < large().count)
    #expect(try Tool.run("info", "--json", "--hash", file).jsonLines()[0].pixelsSHA256 == hash)
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o640)
    let again = try Tool.run("optimize", "--json", file)
    #expect(again.output.contains("\"outcome\":\"unchanged\""))
    #expect(folder.names == ["a.png"])
  }

  @Test("pixels change with --lossy alone, as far as the quality says")
  func lossy() throws {
    let folder = try Tool.Folder()
    let file = folder.file("a.jpg")
    let photo = try Photos.data("stream.jpg")
    try photo.write(to: URL(filePath: file))
    #expect(try Tool.run("optimize", "--quality", "ssim2:70", file).status == 2)
    #expect(try Tool.run("optimize", "--lossy", "--quality", "70", file).status == 2)
    #expect(try Data(contentsOf: URL(filePath: file)) == photo)
    let run = try Tool.run("optimize", "--lossy", "--quality", "ssim2:70", "--effort", "fast", "--json", file)
    #expect(run.status == 0 && run.output.contains("\"outcome\":\"optimized\""), "\(run)")
    #expect(try Data(contentsOf: URL(filePath: file)).count * 10 < photo.count * 8)
  }

  @Test("extended attributes are kept")
  func extendedAttributes() throws {
    let folder = try Tool.Folder()
    let file = folder.file("a.png")
    try large().write(to: URL(filePath: file))
    try #require(setxattr(file, "user.note", "kept", 4, 0) == 0)
    #expect(try Tool.run("optimize", "--effort", "fast", file).status == 0)
    var value = [UInt8](repeating: 0, count: 16)
    #expect(getxattr(file, "user.note", &value, 16) == 4 && value.starts(with: Array("kept".utf8)))
  }

  @Test("links in folders, hard links and what is no image stay as they are")
  func links() throws {
    let folder = try Tool.Folder()
    let outside = try Tool.Folder()
    try large().write(to: URL(filePath: outside.file("far.png")))
    try large().write(to: URL(filePath: folder.file("one.png")))
    #expect(link(folder.file("one.png"), folder.file("two.png")) == 0)
    #expect(symlink(outside.file("far.png"), folder.file("far.png")) == 0)
    try Data("text".utf8).write(to: URL(filePath: folder.file("notes.txt")))
    let run = try Tool.run("optimize", "--recursive", "--json", folder.file(""))
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("hard links") && !run.output.contains("far.png"))
    for file in [outside.file("far.png"), folder.file("one.png"), folder.file("two.png")] {
      #expect(try Data(contentsOf: URL(filePath: file)) == large())
    }
    // A link that is named stands for its file, and stays a link.
    #expect(try Tool.run("optimize", "--json", folder.file("far.png")).status == 0)
    #expect(try Data(contentsOf: URL(filePath: outside.file("far.png"))).count < large().count)
    var status = stat()
    #expect(lstat(folder.file("far.png"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try Tool.run("optimize", folder.file("")).status == 1)
    #expect(try Tool.run("optimize", folder.file("none.png")).status == 1)
  }

  @Test("temporary files of dead writers are removed, those of living ones are not")
  func abandoned() throws {
    let folder = try Tool.Folder()
    let (dead, alive) = (folder.file(".calotype-optimize-1f.tmp"), folder.file(".calotype-optimize-2a.tmp"))
    let other = folder.file(".calotype-optimize-zz.tmp")
    for file in [dead, alive, other] { try Data("x".utf8).write(to: URL(filePath: file)) }
    let descriptor = open(alive, O_RDONLY)
    #expect(flock(descriptor, LOCK_EX) == 0)
    defer { close(descriptor) }
    #expect(InPlaceFile.removeAbandoned(in: folder.file("")) == 1)
    #expect(access(dead, F_OK) != 0 && access(alive, F_OK) == 0 && access(other, F_OK) == 0)
  }

  @Test("a file that changes meanwhile is not replaced")
  func changes() throws {
    let folder = try Tool.Folder()
    let path = folder.file("a.png")
    try large().write(to: URL(filePath: path))
    let file = try InPlaceFile(path, byteLimit: 1 << 30)
    try Data("newer".utf8).write(to: URL(filePath: path))
    #expect(throws: CommandError.self) { try file.replace(by: Data("smaller".utf8), keepsTime: false) }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("newer".utf8))
    #expect(folder.names == ["a.png"])
  }

  @Test("killed at random, it loses and damages no file")
  func kills() throws {
    let folder = try Tool.Folder()
    // Small enough for a dozen of them to take about as long as the longest life.
    let outside = try Tool.Folder()
    #expect(
      try Tool.run(
        "convert", Photos.path("brushes.png"), outside.file("a.png"), "--thumbnail", "160x160", "--effort",
        "fast"
      ).status == 0)
    let original = try Data(contentsOf: URL(filePath: outside.file("a.png")))
    let originals = try (0..<12).map { number in
      let name = "\(number).png"
      try original.write(to: URL(filePath: folder.file(name)))
      return name
    }
    let hash = try Tool.run("info", "--json", "--hash", folder.file("0.png")).jsonLines()[0].pixelsSHA256
    var random = SystemRandomNumberGenerator()
    for _ in 0..<6 {
      let child = try Tool.start(["optimize", "--recursive", "--quiet", folder.file("")])
      usleep(UInt32(random.next() % 120_000))  // The moment of the kill is to be arbitrary.
      kill(child.pid, SIGKILL)
      _ = try child.wait()
    }
    #expect(try Tool.run("optimize", "--recursive", "--quiet", folder.file("")).status == 0)
    #expect(folder.names.sorted() == originals.sorted())
    for name in originals {
      #expect(
        try Tool.run("info", "--json", "--hash", folder.file(name)).jsonLines()[0].pixelsSHA256 == hash)
      #expect(try Data(contentsOf: URL(filePath: folder.file(name))).count < original.count)
    }
  }

  @Test("the format is left to the content")
  func automatic() throws {
    let folder = try Tool.Folder()
    let run = try Tool.run(
      "convert", Photos.path("stream.jpg"), folder.file("a"), "--format", "auto", "--json")
    let format = try run.jsonLines()[0].format
    #expect(format == "webp" || format == "jpeg", "\(run)")
    let name = folder.file(format == "jpeg" ? "a.jpg" : "a.webp")
    #expect(try run.jsonLines()[0].output == name)
    #expect(try Tool.run("info", "--json", name).jsonLines()[0].format == format)
    let get = try Tool.run(
      "get", Photos.path("stream.jpg"), "-o", folder.file("b"), "--format", "auto", "--no-cache", "--json")
    #expect(try get.jsonLines()[0].output?.hasPrefix(folder.file("b.")) == true, "\(get)")
    for command in [["convert", "x.jpg", "y.jpg"], ["get", "x.jpg", "-o", "y.jpg"]] {
      let refused = try Tool.run(command + ["--format", "auto"])
      #expect(refused.status == 2 && refused.errors.contains("without its extension"), "\(refused)")
    }
  }
}
