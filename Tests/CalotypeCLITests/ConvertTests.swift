import FoundationEssentials
import TerminalScreens
import Testing

@Suite("Command: convert")
struct ConvertTests {
  @Test(
    "every format in, every format out", arguments: ["stream.jpg", "brushes.png", "dogs.webp", "pan.gif"])
  func formats(photo: String) throws {
    let folder = try Tool.Folder()
    for (name, format) in [("a.jpg", "jpeg"), ("a.png", "png"), ("a.webp", "webp")] {
      let run = try Tool.run(
        "convert", Photos.path(photo), folder.file(name), "--thumbnail", "64x64", "--json")
      #expect(run.status == 0, "\(run.errors)")
      let line = try #require(try run.jsonLines().first)
      #expect(line.format == format)
      #expect(max(line.width ?? 0, line.height ?? 0) == 64)
      let info = try #require(try Tool.run("info", "--json", folder.file(name)).jsonLines().first)
      #expect(info.format == format)
      #expect(info.width == line.width && info.height == line.height)
    }
    // A temporary file would be a fourth.
    #expect(folder.names == ["a.jpg", "a.png", "a.webp"])
  }

  @Test("bytes are copied only if they can be decoded")
  func copies() throws {
    let folder = try Tool.Folder()
    let sound = try Photos.data("brushes.png")
    let cut = folder.file("cut.png")
    for count in [33, 100, sound.count / 2] {
      try sound.prefix(count).write(to: URL(filePath: cut))
      let run = try Tool.run("convert", cut, folder.file("a.png"), "--json")
      #expect(run.status == 1 && !folder.names.contains("a.png"), "\(run)")
      #expect(try run.jsonLines()[0].error?.code == "truncated")
    }
    let run = try Tool.run("convert", Photos.path("brushes.png"), folder.file("a.png"), "--json")
    #expect(try run.status == 0 && run.jsonLines()[0].isDamaged == false)
    #expect(try Data(contentsOf: URL(filePath: folder.file("a.png"))) == sound)
    // What is damaged is copied as it is, and said to be.
    var damaged = try Photos.data("stream.jpg")
    let middle = damaged.count / 2
    damaged.replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD9])
    try damaged.write(to: URL(filePath: folder.file("damaged.jpg")))
    let copy = try Tool.run("convert", folder.file("damaged.jpg"), folder.file("b.jpg"), "--json")
    #expect(try copy.status == 0 && copy.jsonLines()[0].isDamaged == true)
    #expect(try Tool.run("convert", folder.file("damaged.jpg"), folder.file("b.jpg"), "--strict").status == 1)
  }

  @Test("settings of an encoder are passed on, and refused by formats that do not have them")
  func settings() throws {
    let folder = try Tool.Folder()
    func convert(_ name: String, _ settings: String...) throws -> Tool.Run {
      try Tool.run(
        ["convert", Photos.path("stream.jpg"), folder.file(name), "--thumbnail", "160x160", "--json"]
          + settings.flatMap { ["--set", $0] })
    }
    func bytes(_ run: Tool.Run) throws -> Int { try #require(try run.jsonLines().first?.bytes) }
    #expect(try bytes(convert("a.gif", "loss=30")) < bytes(convert("b.gif")) * 9 / 10)
    #expect(try bytes(convert("a.webp", "method=6", "segments=1")) != bytes(convert("b.webp")))
    for (name, setting) in [
      ("c.jpg", "loss=30"), ("c.rgba", "depth=8"), ("c.gif", "loss=65"), ("c.gif", "loss=x"),
    ] {
      let run = try convert(name, setting)
      #expect(try run.status == 1 && run.jsonLines()[0].error?.code == "invalidParameter", "\(name): \(run)")
    }
    for setting in ["lost=30", "loss"] { #expect(try convert("d.gif", setting).status == 2) }
    #expect(folder.names == ["a.gif", "a.webp", "b.gif", "b.webp"])
  }

  @Test("lossless formats keep every pixel")
  func lossless() throws {
    let folder = try Tool.Folder()
    let hash = try Tool.run("info", "--json", "--hash", Photos.path("brushes.png")).jsonLines()[0]
      .pixelsSHA256
    #expect(hash?.count == 1)
    for arguments in [["b.png"], ["b.webp", "--lossless"]] {
      let out = folder.file(arguments[0])
      let run = try Tool.run(["convert", Photos.path("brushes.png"), out] + arguments.dropFirst())
      #expect(run.status == 0)
      #expect(try Tool.run("info", "--json", "--hash", out).jsonLines()[0].pixelsSHA256 == hash)
    }
    for name in ["c.jpg", "c.gif"] {
      let run = try Tool.run("convert", Photos.path("brushes.png"), folder.file(name), "--lossless", "--json")
      #expect(try run.status == 1 && run.jsonLines()[0].error?.code == "invalidParameter")
      #expect(!FileManager.default.fileExists(atPath: folder.file(name)))
    }
  }

  @Test("animations stay animated where the format can", arguments: ["webp", "gif"])
  func animations(format: String) throws {
    let folder = try Tool.Folder()
    let original = try Tool.run("info", "--json", Photos.path("pan.gif")).jsonLines()[0]
    let run = try Tool.run(
      "convert", Photos.path("pan.gif"), folder.file("a." + format), "--thumbnail", "32x32")
    #expect(run.status == 0, "\(run.errors)")
    let info = try Tool.run("info", "--json", folder.file("a." + format)).jsonLines()[0]
    #expect(info.format == format && info.frames == original.frames)
    #expect(info.durations == original.durations && info.loopCount == original.loopCount)
    _ = try Tool.run(
      "convert", Photos.path("pan.gif"), folder.file("b." + format), "--first-frame", "--thumbnail", "32x32")
    #expect(try Tool.run("info", "--json", folder.file("b." + format)).jsonLines()[0].frames == 1)
  }

  @Test(
    "frames that are dropped are told, unless only the first was asked for",
    arguments: ["png", "jpg", "rgba"])
  func droppedFrames(format: String) throws {
    let folder = try Tool.Folder()
    let out = folder.file("a." + format)
    let options = format == "rgba" ? ["--format", "rgba"] : []
    let text = try Tool.run(["convert", Photos.path("pan.gif"), out] + options)
    #expect(text.status == 0 && text.output.isEmpty)
    #expect(
      text.errors.hasPrefix("calotype: \(Photos.path("pan.gif")): only the first of 14 frames was written"))
    let json = try Tool.run(["convert", Photos.path("pan.gif"), out, "--json"] + options)
    #expect(try json.jsonLines().map(\.droppedFrames) == [13] && json.errors == text.errors)
    for asked in [["--first-frame"], ["--transform", "sepia", "--transform-frames", "first"]] {
      let run = try Tool.run(["convert", Photos.path("pan.gif"), out, "--json"] + options + asked)
      #expect(run.status == 0 && run.errors.isEmpty)
      #expect(try run.jsonLines().map(\.droppedFrames) == [nil])
    }
    let still = try Tool.run(["convert", Photos.path("stream.jpg"), out, "--json"] + options)
    #expect(try still.errors.isEmpty && still.jsonLines().map(\.droppedFrames) == [nil])
  }

  #if TIFF
  @Test("pages that are dropped are told, unless one was asked for")
  func droppedPages() throws {
    let folder = try Tool.Folder()
    let source = Photos.fixture("../described/gen-two-pages-of-two-sizes.tif")
    let run = try Tool.run("convert", source, folder.file("a.png"), "--json")
    #expect(run.errors.hasPrefix("calotype: \(source): only the first of 2 pages was written"), "\(run)")
    #expect(try run.jsonLines().map(\.droppedPages) == [1])
    for page in ["0", "1"] {
      let run = try Tool.run("convert", source, folder.file("a.png"), "--json", "--page", page)
      #expect(try run.errors.isEmpty && run.jsonLines().map(\.droppedPages) == [nil])
    }
    let negotiated = try Tool.run(
      "get", source, "--accept", "image/png", "--json", "--no-cache", "-o", folder.file("out/"))
    #expect(try negotiated.jsonLines().map(\.droppedPages) == [1])
  }
  #endif

  @Test("the name .apng asks for an animated PNG of any animation", arguments: ["gif", "webp", "apng"])
  func apng(format: String) throws {
    let folder = try Tool.Folder()
    let source =
      format == "apng" ? Photos.fixture("apng/generated/loop-1.png") : folder.file("source." + format)
    if format != "apng" {
      _ = try Tool.run("convert", Photos.path("pan.gif"), source, "--thumbnail", "40x")
    }
    let original = try Tool.run("info", "--json", "--hash", source).jsonLines()[0]
    #expect(original.frames ?? 0 > 1)
    for options in [[], ["--format", "apng"], ["--transform", "sepia"]] {
      let out = folder.file(options.first == "--format" ? "b" : "a.apng")
      let run = try Tool.run(["convert", source, out, "--json"] + options)
      #expect(try run.status == 0 && run.errors.isEmpty && run.jsonLines()[0].format == "apng", "\(run)")
      let info = try Tool.run("info", "--json", "--hash", out).jsonLines()[0]
      #expect(info.format == "apng" && info.frames == original.frames && info.durations == original.durations)
      #expect(info.loopCount == original.loopCount)
      #expect((info.pixelsSHA256 == original.pixelsSHA256) == (options.first != "--transform"))
    }
    let first = folder.file("first.apng")
    #expect(try Tool.run("convert", source, first, "--first-frame").status == 0)
    #expect(try Tool.run("info", "--json", first).jsonLines()[0].format == "png")
    // A still image is a PNG; one that is a PNG already is copied.
    let still = folder.file("still.apng")
    _ = try Tool.run("convert", Photos.path("brushes.png"), still)
    #expect(try Data(contentsOf: URL(filePath: still)) == Photos.data("brushes.png"))
    _ = try Tool.run("convert", Photos.path("stream.jpg"), still, "--thumbnail", "20x")
    #expect(try Tool.run("info", "--json", still).jsonLines()[0].format == "png")
  }

  @Test("a profile is kept when asked for, and colours are sRGB otherwise")
  func profile() throws {
    let folder = try Tool.Folder()
    let source = Photos.fixture("png/icc/p3.png")
    let stored = try Tool.run("info", "--json", "--hash", source).jsonLines()[0]
    _ = try Tool.run("convert", source, folder.file("kept.png"), "--keep-profile")
    let kept = try Tool.run("info", "--json", "--hash", folder.file("kept.png")).jsonLines()[0]
    #expect(kept.pixelsSHA256 == stored.pixelsSHA256)
    #expect(kept.colorProfile != nil && kept.colorProfile == stored.colorProfile)
    _ = try Tool.run("convert", source, folder.file("srgb.png"), "--format", "png")
    let converted = try Tool.run("info", "--json", "--hash", folder.file("srgb.png")).jsonLines()[0]
    #expect(converted.pixelsSHA256 != stored.pixelsSHA256)
    let wanted = try Tool.run("info", "--json", "--hash", "--srgb", source).jsonLines()[0]
    #expect(converted.pixelsSHA256 == wanted.pixelsSHA256)
    _ = try Tool.run("convert", source, folder.file("stored.rgba"), "--as-stored")
    // Pixels, as its name says, though nothing else was asked for.
    let plain = folder.file("plain.rgba")
    _ = try Tool.run("convert", Photos.path("stream.jpg"), plain)
    #expect(try Data(contentsOf: URL(filePath: plain)).count == 1731 * 1151 * 4)
    _ = try Tool.run("convert", source, folder.file("upright.rgba"))
    #expect(
      try Data(contentsOf: URL(filePath: folder.file("stored.rgba")))
        != Data(contentsOf: URL(filePath: folder.file("upright.rgba"))))
  }

  @Test("raw pixels are width times height times four bytes")
  func rawPixels() throws {
    let folder = try Tool.Folder()
    let run = try Tool.run(
      "convert", Photos.path("stream.jpg"), folder.file("a.raw"), "--format", "rgba", "--thumbnail", "40x30",
      "--stretch")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: folder.file("a.raw"))).count == 40 * 30 * 4)
  }

  @Test("an orientation is applied, unless as stored")
  func orientation() throws {
    let folder = try Tool.Folder()
    let turned = Photos.fixture("jpeg/exif/f-orientation-6.jpg")
    let stored = try Tool.run("info", "--json", turned).jsonLines()[0]
    #expect(stored.orientation == 6)
    _ = try Tool.run("convert", turned, folder.file("up.png"))
    _ = try Tool.run("convert", turned, folder.file("as-is.png"), "--as-stored")
    let upright = try Tool.run("info", "--json", folder.file("up.png")).jsonLines()[0]
    let asStored = try Tool.run("info", "--json", folder.file("as-is.png")).jsonLines()[0]
    #expect(upright.width == stored.height && upright.height == stored.width)
    #expect(asStored.width == stored.width && asStored.height == stored.height)
    #expect(upright.orientation == 1 && asStored.orientation == 1)
  }

  @Test("an output that cannot be written is told, with status 1")
  func unwritable() throws {
    let run = try Tool.run("convert", Photos.path("dogs.webp"), "/proc/none/a.png", "--json")
    #expect(run.status == 1)
    #expect(try run.jsonLines()[0].error?.code == "unwritableOutput")
  }
}
