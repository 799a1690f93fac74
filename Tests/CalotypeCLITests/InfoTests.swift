import FoundationEssentials
import TerminalScreens
import Testing

@Suite("Command: info")
struct InfoTests {
  @Test("the fields of every format")
  func fields() throws {
    let run = try Tool.run(
      "info", "--json", Photos.path("dandelion.jpg"), Photos.path("brushes.png"), Photos.path("pan.gif"),
      Photos.path("sunset.webp"))
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    let lines = try run.jsonLines()
    #expect(lines.map(\.format) == ["jpeg", "png", "gif", "webp"])
    #expect(lines.map(\.hasAlpha)[..<2] == [false, true])
    #expect(lines[2].frames == 14)
    #expect(lines[2].durations?.count == 14)
    #expect(lines.map(\.bitDepth) == [8, 8, 8, 8])
    #expect(lines.allSatisfy { $0.orientation == 1 && ($0.width ?? 0) > 0 && $0.bytes ?? 0 > 0 })
    #expect(lines[0].loopCount == 1 && lines[0].frames == 1 && lines[0].durations == [])
  }

  @Test("each failure has its code, and the other sources are still told")
  func failures() throws {
    let folder = try Tool.Folder()
    let photo = try Photos.data("stream.jpg")
    func file(_ name: String, _ data: Data) throws -> String {
      try data.write(to: URL(filePath: folder.file(name)))
      return folder.file(name)
    }
    let cases = [
      (folder.file("missing.jpg"), "fileNotFound"),
      (folder.path, "notRegularFile"),
      (try file("empty.jpg", Data()), "emptyBody"),
      (try file("page.jpg", Data("<!DOCTYPE html><html><body>no</body></html>".utf8)), "unrecognizedFormat"),
      (try file("cut.jpg", photo.prefix(photo.count / 2)), "truncated"),
      (try file("lossless.jpg", losslessJPEG), "unsupportedFormat"),
    ]
    let run = try Tool.run(
      ["info", "--json", "--hash", Photos.path("dogs.webp")] + cases.map(\.0) + [Photos.path("stream.jpg")])
    #expect(run.status == 1)
    let lines = try run.jsonLines()
    #expect(lines.map(\.source) == [Photos.path("dogs.webp")] + cases.map(\.0) + [Photos.path("stream.jpg")])
    #expect(lines.map { $0.error?.code } == [nil] + cases.map { .some($0.1) } + [nil])
    #expect(lines.allSatisfy { ($0.error == nil) != ($0.pixelsSHA256 == nil) })

    // The same for people: on standard error, the good ones on standard output.
    let plain = try Tool.run(["info", cases[0].0, Photos.path("stream.jpg")])
    #expect(plain.status == 1)
    #expect(plain.errors.contains("missing.jpg"))
    #expect(plain.output.contains("stream.jpg"))
  }

  @Test("one hash for each frame, the same however the bytes come")
  func hashes() throws {
    let names = ["stream.jpg", "brushes.png", "dogs.webp", "pan.gif"].map { Photos.path($0) }
    let whole = try Tool.run(["info", "--json", "--hash"] + names)
    #expect(whole.status == 0, "\(whole.errors)")
    let lines = try whole.jsonLines()
    #expect(lines.map { $0.pixelsSHA256?.count } == lines.map(\.frames))
    #expect(Set(lines[3].pixelsSHA256 ?? []).count > 1)
    let dripped = try Tool.run(["info", "--json", "--hash", "--chunk", "4099"] + names)
    #expect(dripped.output == whole.output)
    let first = try Tool.run(["info", "--json", "--hash", "--first-frame"] + names).jsonLines()
    #expect(first.map(\.pixelsSHA256) == lines.map { $0.pixelsSHA256.map { Array($0.prefix(1)) } })
    #expect(try Tool.run("info", "--chunk", "0", names[0]).status == 2)
  }

  @Test("a damaged file is shown and marked by all commands, and refused with --strict")
  func damage() throws {
    let folder = try Tool.Folder()
    var photo = try Photos.data("stream.jpg")
    let middle = photo.count / 2
    photo.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD9])
    let path = folder.file("damaged.jpg")
    try photo.write(to: URL(filePath: path))
    let sound = Photos.path("stream.jpg")
    #expect(try Tool.run("info", "--json", path).jsonLines().map(\.isDamaged) == [nil])
    let whole = try Tool.run("info", "--json", "--hash", path, sound)
    #expect(whole.status == 0)
    #expect(try whole.jsonLines().map(\.isDamaged) == [true, false])
    #expect(try Tool.run("info", "--json", "--hash", "--chunk", "4099", path, sound).output == whole.output)
    for options in [["--strict"], ["--strict", "--hash"], ["--strict", "--chunk", "4099"]] {
      let strict = try Tool.run(["info", "--json"] + options + [path, sound])
      #expect(strict.status == 1)
      #expect(try strict.jsonLines().map { $0.error?.code } == ["corrupt", nil], "\(options)")
    }
    let (made, copied) = (folder.file("made.png"), folder.file("copied.jpg"))
    let commands = [
      ["get", path, "-o", made, "--thumbnail", "64x64"], ["convert", path, made],
      ["convert", path, made, "--as-stored"],
    ]
    for command in commands {
      let run = try Tool.run(command + ["--json"])
      #expect(run.status == 0, "\(run.errors)")
      #expect(try run.jsonLines().map(\.isDamaged) == [true], "\(command)")
      let strict = try Tool.run(command + ["--json", "--strict"])
      #expect(try strict.jsonLines().map { $0.error?.code } == ["corrupt"], "\(command)")
    }
    // Bytes that are only copied are looked at where that is asked for.
    #expect(try Tool.run("get", path, "-o", copied, "--json").jsonLines().map(\.isDamaged) == [nil])
    #expect(try Tool.run("get", path, "-o", copied, "--json", "--strict").status == 1)
    #expect(
      try Tool.run("get", sound, "-o", copied, "--json", "--strict").jsonLines().map(\.isDamaged) == [false])
  }

  @Test("an animation that is written says that a frame after its first is damaged")
  func damagedFrames() throws {
    let folder = try Tool.Folder()
    let (path, written) = (folder.file("damaged.gif"), folder.file("written.webp"))
    var animation = try Photos.data("pan.gif")
    // Codes in the middle of the file, which is within a later frame.
    let middle = animation.count / 2
    animation.replaceSubrange(middle..<middle + 8, with: repeatElement(0xFF, count: 8))
    try animation.write(to: URL(filePath: path))
    let first = try Tool.run("info", "--json", "--hash", "--first-frame", path)
    #expect(try first.jsonLines().map(\.isDamaged) == [false])
    for options in [[], ["--thumbnail", "32x32"], ["--quality", "40"]] {
      let run = try Tool.run(["convert", path, written, "--json"] + options)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try run.jsonLines().map(\.isDamaged) == [true], "\(options)")
      #expect(try Tool.run(["convert", path, written, "--strict"] + options).status == 1)
    }
    let sound = try Tool.run("convert", Photos.path("pan.gif"), written, "--json", "--thumbnail", "32x32")
    #expect(try sound.jsonLines().map(\.isDamaged) == [false])
  }

  /// The header of a lossless JPEG (SOF3) of 16 by 16 pixels.
  private var losslessJPEG: Data {
    Data([0xFF, 0xD8, 0xFF, 0xC3, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0, 0xFF, 0xD9])
  }
}
