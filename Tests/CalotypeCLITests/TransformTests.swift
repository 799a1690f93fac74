import FoundationEssentials
import TerminalScreens
import Testing

@Suite("Command: transforms")
struct TransformTests {
  @Test("each transform that is listed can be used")
  func all() throws {
    let lines = try Tool.run("transforms", "--json").jsonLines()
    let names = lines.compactMap(\.name)
    #expect(names.count == lines.count && Set(names).count == names.count && names.count > 20)
    let folder = try Tool.Folder()
    let arguments = [
      "resize": "40x40,fill,anchor=attention", "crop": "30x20,anchor=entropy", "pad": "5,fill=mirror",
      "rotate": "30",
      "flip": "horizontal", "round": "25%,border=3,color=ff0000", "blur": "2", "tint": "ff8000,multiply",
      "brightness": "0.2",
      "contrast": "1.5", "saturation": "0.5", "hue": "90", "gamma": "2.2", "opacity": "0.5",
      "matrix": "0,1,0,0,0,1,0,0,0,0,0,0,1,0,0,0,0,0,1,0",
      "blurareas": "4,5;5;20;20", "progressiveblur": "4", "gradient": "ff0000", "shadow": "3",
      "overlay": Photos.path("brushes.png") + ",scale=0.5,anchor=bottomRight",
    ]
    var hashes: Set<String> = []
    for name in names {
      let text = arguments[name].map { "\(name):\($0)" } ?? name
      let run = try Tool.run(
        "convert", Photos.path("brushes.png"), folder.file("a.png"), "--thumbnail", "64x64", "--transform",
        text)
      #expect(run.status == 0, "\(text): \(run.errors)")
      let hash = try Tool.run("info", "--json", "--hash", folder.file("a.png")).jsonLines()[0].pixelsSHA256
      hashes.formUnion(hash ?? [])
    }
    #expect(hashes.count == names.count)
  }

  @Test("transforms are done in order, and a resize at the beginning while decoding")
  func order() throws {
    let folder = try Tool.Folder()
    let run = try Tool.run(
      "convert", Photos.path("dandelion.jpg"), folder.file("a.png"), "--json", "--transform", "resize:100x",
      "--transform", "rotate:90", "--transform", "pad:top=10")
    #expect(run.status == 0)
    let line = try run.jsonLines()[0]
    #expect(line.width == 56 && line.height == 110)
  }

  @Test("get caches what transforms make")
  func cached() throws {
    let folder = try Tool.Folder()
    let arguments = [
      "get", Photos.path("stream.jpg"), "-o", folder.file("out.png"), "--json", "--transform",
      "resize:50x50,fill",
      "--transform", "circle",
    ]
    for _ in 0..<2 {
      let run = try Tool.run(arguments)
      #expect(run.status == 0, "\(run.errors)")
      let line = try run.jsonLines()[0]
      #expect(line.width == 50 && line.height == 50)
    }
    #expect(try Tool.run("info", "--json", folder.file("out.png")).jsonLines()[0].hasAlpha == true)
  }

  @Test(
    "animations: every frame, the first, or none",
    arguments: [("every", 14, 40), ("first", 1, 40), ("none", 14, 0)])
  func animations(frames: String, count: Int, width: Int) throws {
    let folder = try Tool.Folder()
    let run = try Tool.run(
      "convert", Photos.path("pan.gif"), folder.file("a.gif"), "--transform", "resize:40x30,stretch",
      "--transform-frames", frames)
    #expect(run.status == 0, "\(run.errors)")
    let info = try Tool.run("info", "--json", folder.file("a.gif")).jsonLines()[0]
    #expect(info.frames == count)
    if width > 0 { #expect(info.width == width) } else { #expect(info.width ?? 0 > 40) }
  }

  @Test(
    "wrong ones are usage errors that say what would be right",
    arguments: [
      ("nonsense", "there is no 'nonsense'"), ("blur", "sigma is missing"), ("blur:x", "a number"),
      ("resize:0x0", "no size"), ("overlay:/nowhere.png", "cannot be read"),
      ("crop:10x10,anchor=up", "anchor"),
    ])
  func refused(text: String, message: String) throws {
    let folder = try Tool.Folder()
    let run = try Tool.run("convert", Photos.path("stream.jpg"), folder.file("a.png"), "--transform", text)
    #expect(run.status == 2)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(folder.names.isEmpty)
  }

  @Test("a transform that does not fit the picture fails that picture")
  func unfit() throws {
    let folder = try Tool.Folder()
    let run = try Tool.run(
      "convert", Photos.path("brushes.png"), folder.file("a.png"), "--json", "--transform",
      "crop:x=5000,width=5,height=5")
    #expect(run.status == 1)
    #expect(try run.jsonLines()[0].error?.code == "invalidParameter")
  }

  @Test("facts")
  func facts() throws {
    let run = try Tool.run(
      "info", "--json", "--facts", Photos.path("dandelion.jpg"), Photos.path("brushes.png"))
    let facts = try run.jsonLines().map { try #require($0.facts) }
    #expect(facts[0].blurHash.count == 28 && !facts[0].hasTransparency && facts[1].hasTransparency)
    #expect(facts[0].averageColor.hasPrefix("#") && facts[0].averageColor.count == 7)
    #expect(facts[0].dominantColors.reduce(0) { $0 + $1.share } <= 1.01)
    #expect(try #require(Data(base64Encoded: facts[0].thumbHash)).count > 15)
    #expect(try Tool.run("info", "--json", Photos.path("dandelion.jpg")).jsonLines()[0].facts == nil)
    #expect(try Tool.run("info", "--facts", Photos.path("dandelion.jpg")).output.contains("BlurHash"))
  }
}
