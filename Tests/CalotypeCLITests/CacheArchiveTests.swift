import CalotypeTestKit
import Foundation
import Glibc
import TerminalScreens
import Testing

@testable import CalotypeCLI

/// Export and import of the disk cache.
@Suite("Command: cache export and import", .timeLimit(.minutes(2)))
struct CacheArchiveTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
    for name in ["dogs.webp", "sunset.webp"] {
      server.route(
        "/" + name,
        .body(try Photos.data(name), headers: [("Cache-Control", "max-age=1000"), ("ETag", "\"\(name)\"")]))
    }
  }

  private func cache(_ name: String) -> [String] { ["--cache-dir", folder.file(name)] }

  /// Fills a cache with two originals and two thumbnails.
  private func fill(_ name: String) throws {
    let urls = ["/dogs.webp", "/sunset.webp"].map { server.url($0).absoluteString }
    let run = try Tool.run(
      ["get", "--thumbnail", "20x20", "--tag", "a", "--tag", "b", "-o", folder.file("out/")] + urls
        + cache(name))
    #expect(run.status == 0, "\(run)")
  }

  /// The records as `cache list` tells them, without their paths.
  private func list(_ name: String) throws -> [String] {
    let run = try Tool.run(["cache", "list", "--json"] + cache(name))
    return run.output.replacing(folder.file(name), with: "").split(separator: "\n").map(String.init).sorted()
  }

  private func run(_ program: String, _ arguments: String...) throws -> Tool.Run {
    try Tool.start(program: program, arguments).wait()
  }

  private func importing(_ archive: String, into name: String, _ options: String...) throws -> Tool.Run {
    try Tool.run(["cache", "import", archive, "--json"] + cache(name) + options)
  }

  /// The record files in a folder.
  private func records(_ name: String) -> [String] {
    let paths = FileManager.default.subpaths(atPath: folder.file(name)) ?? []
    return paths.filter { $0.split(separator: "/").last?.utf8.count == 62 }.sorted()
  }

  @Test("an imported cache has the same records, and get finds them")
  func roundTrip() throws {
    try fill("one")
    let archive = folder.file("cache.tar")
    let exported = try Tool.run(["cache", "export", archive, "--json"] + cache("one"))
    #expect(try exported.status == 0 && exported.jsonLines()[0].exported == 4, "\(exported)")
    var status = stat()
    #expect(stat(archive, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let imported = try importing(archive, into: "two")
    #expect(try imported.status == 0 && imported.jsonLines()[0].imported == 4, "\(imported)")
    #expect(try list("two") == list("one") && list("one").count == 4)
    #expect(try Tool.run(["cache", "verify"] + cache("two")).status == 0)
    let got = try Tool.run(
      [
        "get", server.url("/dogs.webp").absoluteString, "--thumbnail", "20x20", "--json", "-o",
        folder.file("a.webp"),
      ]
        + cache("two"))
    #expect(try got.jsonLines()[0].from == "disk")
    #expect(server.requests.count == 2)
    let cleared = try Tool.run(["cache", "clear", "--tag", "b", "--json"] + cache("two"))
    #expect(try cleared.jsonLines()[0].removedRecords == 4)
  }

  @Test("a second import changes nothing; a newer record stays")
  func known() throws {
    try fill("one")
    let archive = folder.file("cache.tar")
    _ = try Tool.run(["cache", "export", archive] + cache("one"))
    _ = try importing(archive, into: "two")
    let before = try list("two")
    let again = try importing(archive, into: "two")
    #expect(try again.status == 0 && again.jsonLines()[0].known == 4 && again.jsonLines()[0].imported == 0)
    #expect(try list("two") == before)
    try fill("three")
    let newer = try list("three")
    #expect(try importing(archive, into: "three").jsonLines()[0].known == 4)
    #expect(try list("three") == newer)
  }

  @Test("standard output and input, and namespaces")
  func streams() throws {
    let options = ["--namespace", "n"]
    _ = try Tool.run(
      ["get", server.url("/dogs.webp").absoluteString, "-o", folder.file("a.webp")] + cache("one") + options)
    let pipe = open(folder.file("pipe.tar"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(pipe) }
    let exported = try Tool.start(["cache", "export", "-"] + cache("one") + options, output: pipe).wait()
    #expect(exported.status == 0 && exported.errors.isEmpty)
    lseek(pipe, 0, SEEK_SET)
    let imported = try Tool.start(["cache", "import", "-", "--json"] + cache("two"), input: pipe).wait()
    #expect(try imported.jsonLines()[0].imported == 1)
    #expect(try list("two").count == 1)
  }

  @Test(
    "GNU tar lists and extracts an export, and its archives are imported", arguments: ["gnu", "ustar", "pax"])
  func tar(format: String) throws {
    try fill("one")
    let archive = folder.file("cache.tar")
    _ = try Tool.run(["cache", "export", archive] + cache("one"))
    let listed = try run("/usr/bin/tar", "-tf", archive)
    #expect(listed.status == 0 && listed.errors.isEmpty)
    #expect(listed.output.split(separator: "\n").map(String.init).sorted() == records("one"))
    try FileManager.default.createDirectory(
      atPath: folder.file("extracted"), withIntermediateDirectories: true)
    #expect(try run("/usr/bin/tar", "-xf", archive, "-C", folder.file("extracted")).status == 0)
    for name in records("one") {
      #expect(
        try Data(contentsOf: URL(filePath: folder.file("extracted/" + name)))
          == Data(contentsOf: URL(filePath: folder.file("one/" + name))))
    }
    // Of the extracted records, and of the folder of a cache with all its files.
    for source in ["extracted", "one"] {
      let packed = folder.file("packed.tar")
      #expect(
        try run("/usr/bin/tar", "--format", format, "-cf", packed, "-C", folder.file(source), ".").status == 0
      )
      let imported = try importing(packed, into: "of-" + source)
      #expect(try imported.status == 0 && imported.jsonLines().map(\.imported) == [4], "\(imported)")
      #expect(try list("of-" + source) == list("one"))
    }
  }

  // MARK: Hostile archives

  /// A record of a cache, with its name in an archive.
  private func record(_ cacheName: String = "one") throws -> (name: String, bytes: Data) {
    let name = try #require(records(cacheName).first)
    return (name, try Data(contentsOf: URL(filePath: folder.file("\(cacheName)/\(name)"))))
  }

  private func entry(_ name: String, _ bytes: Data, size: Int? = nil, type: Character = "0") -> Data {
    var header = TarHeader(file: name, size: size ?? bytes.count, modified: .now)
    header.type = type.asciiValue ?? 0
    return header.encoded + bytes + Data(count: (512 - bytes.count % 512) % 512)
  }

  private func write(_ entries: [Data], end: Data = Data(count: 1024)) throws -> String {
    let path = folder.file("hostile.tar")
    try (entries.reduce(Data(), +) + end).write(to: URL(filePath: path))
    return path
  }

  @Test("a bad entry is refused by itself, and nothing is written elsewhere")
  func refusals() throws {
    try fill("one")
    let names = records("one")
    let all = try names.map { try Data(contentsOf: URL(filePath: folder.file("one/" + $0))) }
    let (name, bytes) = (names[0], all[0])
    var flipped = bytes
    flipped[flipped.count - 1] ^= 1
    var header = bytes
    header[20] ^= 1
    let bad: [(entry: Data, reason: String)] = [
      (entry("../../escape", bytes), "its name is not that of a record"),
      (entry("/" + name, bytes), "its name is not that of a record"),
      (entry("v2/../" + name, bytes), "its name is not that of a record"),
      (entry("namespaces/x/" + name, bytes), "its name is not that of a record"),
      (entry(name.uppercased(), bytes), "its name is not that of a record"),
      (entry("evil.sh", Data("#!".utf8)), "its name is not that of a record"),
      (entry(names[1], bytes), "its name is that of another record"),
      (entry(name, flipped), "its bytes do not match their checksum"),
      (entry(name, header), "its header is damaged"),
      (entry(name, bytes.dropLast()), "its header is damaged"),
      (entry(name, bytes + [0]), "its header is damaged"),
      (entry(name, Data()), "its header is damaged"),
      (entry(name, Data(), type: "1"), "a link"), (entry(name, Data(), type: "2"), "a link"),
      (entry(name, Data(), type: "3"), "a device"), (entry(name, Data(), type: "6"), "a pipe"),
      (entry(name, Data(), type: "S"), "a sparse file"),
      (entry(name, Data(), type: "?"), "of an unknown kind"),
    ]
    let before = folder.names
    let sound = names.indices.map { entry(names[$0], all[$0]) }
    let run = try importing(try write(bad.map(\.entry) + sound + [sound[0]]), into: "two")
    #expect(run.status == 1)
    let lines = try run.jsonLines()
    #expect(lines.count == bad.count + 2)
    for (line, reason) in zip(lines, bad.map(\.reason) + ["the archive has it twice"]) {
      #expect(line.error?.code == "refusedEntry" && line.error?.message.contains(reason) == true, "\(line)")
    }
    #expect(lines.last?.imported == 4 && lines.last?.refused == bad.count + 1)
    // Their last use is now, by the archive.
    let lists = try ["one", "two"].map {
      try list($0).map { $0.replacing(/"accessed":"[^"]*"/, with: "") }.sorted()
    }
    #expect(lists[0] == lists[1])
    #expect(records("two").count == 4)
    #expect(folder.names == (before + ["hostile.tar", "two"]).sorted())
    let files = FileManager.default.subpaths(atPath: folder.file("two")) ?? []
    #expect(!files.contains { $0.contains("evil") || $0.contains("escape") || $0.contains("namespaces") })
  }

  @Test("a size is judged before memory is taken, and does not hide what follows")
  func sizes() throws {
    try fill("one")
    let (name, bytes) = try record()
    // As much as an archive may say; there is nothing of it.
    let huge = try importing(
      try write([entry(name, Data(), size: TarHeader.maxSize)], end: Data()), into: "two")
    #expect(huge.status == 1)
    #expect(try huge.jsonLines().first?.error?.message.contains("a record at most") == true, "\(huge)")
    #expect(try huge.jsonLines().dropFirst().first?.error?.code == "damagedArchive")
    // A size within the limit, of which nothing follows, takes no memory either.
    let cut = try importing(try write([entry(name, Data(), size: 200 << 20)], end: Data()), into: "two")
    #expect(try cut.jsonLines().first?.error?.code == "damagedArchive")
    let large = entry(name, Data(count: 3 << 20))
    let small = try importing(
      try write([large, entry(name, bytes)]), into: "two")
    #expect(try small.jsonLines().last?.imported == 1)
  }

  @Test("an archive that is cut off is an error, and what came before is imported")
  func truncation() throws {
    try fill("one")
    let archive = folder.file("cache.tar")
    _ = try Tool.run(["cache", "export", archive] + cache("one"))
    let whole = try Data(contentsOf: URL(filePath: archive))
    let names = records("one")
    let first = try Data(contentsOf: URL(filePath: folder.file("one/" + names[0]))).count
    let second = 512 + (first + 511) / 512 * 512
    // Without a byte, within a header, within contents, between entries.
    for (length, imported) in [(0, 0), (100, 0), (600, 0), (second, 1), (second + 700, 1)] {
      let path = folder.file("cut.tar")
      try whole.prefix(length).write(to: URL(filePath: path))
      let run = try importing(path, into: "cut-\(length)")
      let lines = try run.jsonLines()
      #expect(run.status == 1 && lines.count == 2, "\(run)")
      #expect(lines[0].error?.code == "damagedArchive" && lines[1].imported == imported, "\(length)")
    }
  }

  @Test("what is no tar archive is told, and so is an archive that is not there")
  func noArchive() throws {
    let gzip = folder.file("a.tar.gz")
    try (Data([0x1F, 0x8B]) + Data(repeating: 7, count: 2000)).write(to: URL(filePath: gzip))
    for path in [gzip, Photos.path("dogs.webp")] {
      let run = try importing(path, into: "two")
      #expect(run.status == 1 && run.output.contains("is it a tar archive, and not compressed?"), "\(run)")
    }
    for path in [folder.file("none"), folder.path] {
      #expect(try importing(path, into: "two").jsonLines()[0].error?.code == "unreadableArchive")
    }
    let run = try Tool.run(["cache", "export", folder.file("a.tar")] + cache("none"))
    #expect(run.status == 1 && run.errors.contains("no cache in this folder"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("a.tar")))
  }

  @Test("an archive of refused entries ends the import")
  func floods() throws {
    let bad = entry("evil", Data())
    let run = try importing(try write(Array(repeating: bad, count: 1500)), into: "two")
    let lines = try run.jsonLines()
    #expect(run.status == 1 && lines.count == 1002)
    #expect(lines[1000].error?.code == "damagedArchive" && lines[1001].refused == 1000)
  }

  @Test("a damaged record is not exported, and told")
  func damage() throws {
    try fill("one")
    let (name, bytes) = try record()
    var damaged = bytes
    damaged[damaged.count - 1] ^= 1
    try damaged.write(to: URL(filePath: folder.file("one/" + name)))
    let run = try Tool.run(["cache", "export", folder.file("a.tar"), "--json"] + cache("one"))
    let line = try run.jsonLines()[0]
    #expect(run.status == 1 && line.exported == 3 && line.damaged == [folder.file("one/" + name)])
    #expect(try importing(folder.file("a.tar"), into: "two").jsonLines()[0].imported == 3)
    let text = try Tool.run(["cache", "export", folder.file("b.tar")] + cache("one"))
    #expect(text.status == 1 && text.errors.contains("damaged, not exported"))
  }

  @Test("an output that cannot be written is told, and leaves no file")
  func unwritable() throws {
    try fill("one")
    let run = try Tool.run(["cache", "export", "/proc/none/a.tar", "--json"] + cache("one"))
    #expect(try run.status == 1 && run.jsonLines()[0].error?.code == "unwritableOutput")
    let full = try Tool.run(["cache", "export", "/dev/full"] + cache("one"))
    #expect(full.status == 1 && full.errors.contains("/dev/full"))
    #expect(folder.names.allSatisfy { !$0.contains("calotype-") })
  }
}
