#if JXL
import FoundationEssentials
import TerminalScreens
import Testing

@Suite("Command: JPEG XL")
struct JPEGXLTests {
  @Test("a JPEG becomes a smaller JPEG XL, and the same JPEG again")
  func transcoding() throws {
    let folder = try Tool.Folder()
    let jpeg = try Photos.data("stream.jpg")
    let there = try Tool.run(
      "convert", Photos.path("stream.jpg"), folder.file("a.jxl"), "--lossless", "--json")
    #expect(there.status == 0, "\(there.errors)")
    #expect(try there.jsonLines().first?.format == "jxl")
    #expect(try Data(contentsOf: URL(filePath: folder.file("a.jxl"))).count < jpeg.count * 9 / 10)
    for (name, more) in [("b.jpg", []), ("c.bin", ["--format", "jpeg"])] {
      let back = try Tool.run(["convert", folder.file("a.jxl"), folder.file(name), "--lossless"] + more)
      #expect(back.status == 0, "\(back.errors)")
      #expect(try Data(contentsOf: URL(filePath: folder.file(name))) == jpeg)
    }
  }

  @Test("pixels without loss, and animations")
  func pixels() throws {
    let folder = try Tool.Folder()
    for (source, name) in [("brushes.png", "a.jxl"), ("pan.gif", "b.jxl")] {
      let run = try Tool.run("convert", Photos.path(source), folder.file(name), "--lossless", "--json")
      #expect(run.status == 0, "\(run.errors)")
    }
    func pixels(_ path: String) throws -> Data {
      let run = try Tool.run("convert", path, folder.file("x.rgba"))
      #expect(run.status == 0, "\(run.errors)")
      return try Data(contentsOf: URL(filePath: folder.file("x.rgba")))
    }
    #expect(try pixels(folder.file("a.jxl")) == pixels(Photos.path("brushes.png")))
    let (gif, jxl) = (
      try Tool.run("info", "--json", Photos.path("pan.gif")).jsonLines()[0],
      try Tool.run("info", "--json", folder.file("b.jxl")).jsonLines()[0]
    )
    #expect(gif.frames == jxl.frames && jxl.format == "jxl")
    // What was not made of a JPEG has none to restore.
    let run = try Tool.run("convert", folder.file("a.jxl"), folder.file("c.jpg"), "--lossless", "--json")
    #expect(try run.status == 1 && run.jsonLines()[0].error?.code == "unsupportedFormat")
  }

  @Test("only a field that names JPEG XL gets it")
  func accept() throws {
    let folder = try Tool.Folder()
    for (field, format) in [("image/jxl,image/webp;q=0.9", "jxl"), ("image/*", "webp")] {
      let run = try Tool.run(
        "convert", Photos.path("stream.jpg"), folder.file("a"), "--accept", field, "--thumbnail", "64x64",
        "--json")
      #expect(try run.status == 0 && run.jsonLines()[0].format == format, "\(run.errors)")
    }
  }
}
#endif
