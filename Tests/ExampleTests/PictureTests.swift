import Calotype
import FoundationEssentials
import Testing

/// The output and the files of the examples with a picture or an animation.
@Suite("Examples: pictures", .timeLimit(.minutes(5)))
struct PictureTests {
  private func image(_ path: String) throws -> Image { try Image(contentsOf: URL(filePath: path)) }

  @Test("Thumbnail")
  func thumbnail() async throws {
    let program = try Program("Thumbnail")
    let outcome = try await program.run([
      URL(filePath: Photos.path("dandelion.jpg")).absoluteString, program.file("out.webp"),
    ])
    #expect(outcome.status == 0)
    #expect(outcome.lines.contains("1183925 of 1183925 bytes"))
    #expect(outcome.lines.last == "320×180 from loader")
    #expect(try image(program.file("out.webp")).size == PixelSize(width: 320, height: 180))
  }

  @Test("GeneratedImages")
  func generatedImages() async throws {
    let program = try Program("GeneratedImages")
    #expect(try await program.run(["30"]).output.hasPrefix("drew a badge"))
    #expect(try await program.run(["30"]).output.hasPrefix("found a badge of 64×64 pixels"))
  }

  @Test("Posterize: four levels, from the cache the second time")
  func posterize() async throws {
    let program = try Program("Posterize")
    let arguments = [Photos.path("mountains.jpg"), program.file("out.png"), "resize:160x", "posterize:4"]
    let first = try await program.run(arguments)
    #expect(first.lines.first == "steps: resize:160x → com.example.posterize/1:4")
    #expect(first.lines.last == "160×120 from loader")
    #expect(try await program.run(arguments).lines.last == "160×120 from disk")

    let picture = try image(program.file("out.png")).bitmap.converted(to: .rgba8)
    let values = picture.withUnsafeBytes { Set($0) }
    #expect(values == [0, 85, 170, 255])
  }

  @Test("Posterize: the same bytes alone and in a pass with other steps")
  func sharedPass() async throws {
    let program = try Program("Posterize")
    let photo = Photos.path("stream.jpg")
    for (name, steps) in [("alone", ["posterize:5"]), ("shared", ["posterize:5", "contrast:1"])] {
      let arguments = [photo, program.file("\(name).png"), "resize:200x"] + steps
      #expect(try await program.run(arguments).status == 0)
    }
    #expect(try image(program.file("alone.png")).bitmap == image(program.file("shared.png")).bitmap)
  }

  @Test("Posterize: wrong names", arguments: ["posterize:1", "posterize:x", "posterise", "blur"])
  func wrongNames(_ step: String) async throws {
    let program = try Program("Posterize")
    let outcome = try await program.run([Photos.path("dogs.webp"), program.file("out.png"), step])
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("Error: invalid "))
  }

  @Test("AnimationTool: frames, a trim at another speed, a sprite sheet")
  func animation() async throws {
    let program = try Program("AnimationTool")
    let pan = Photos.path("pan.gif")
    #expect(
      try await program.run(["info", pan]).lines == [
        "gif, 280×210, 14 frames, 1120 ms, plays for ever", "  frames 0 to 13: 80 ms",
      ])
    for (format, name) in [("webp", "webp"), ("gif", "gif"), ("apng", "png")] {
      let file = program.file("out.\(name)")
      let options = ["--frames", "2-9", "--speed", "2", "--width", "140"]
      #expect(try await program.run(["convert", pan, file] + options).status == 0)
      #expect(
        try await program.run(["info", file]).lines == [
          "\(format), 140×105, 8 frames, 320 ms, plays for ever", "  frames 0 to 7: 40 ms",
        ])
    }
    let sheet = try await program.run(["sheet", pan, program.file("sheet.png"), "--width", "140"])
    #expect(sheet.lines == ["700×315: 14 frames of 140×105 in 5 columns and 3 rows"])
    let picture = try image(program.file("sheet.png"))
    #expect(picture.size == PixelSize(width: 700, height: 315))

    // The eighth frame is the third of the second row; the last cell is empty.
    let frame = try AnimatedImage(
      data: Data(contentsOf: URL(filePath: pan)), options: DecodeOptions(thumbnail: .fit(width: 140))
    ).frame(at: 7)
    let cells: TransformChain = [.crop(.pixels(x: 280, y: 105, width: 140, height: 105))]
    #expect(try cells.apply(to: picture.bitmap) == frame.bitmap.converted(to: .rgba8))
    let empty: TransformChain = [.crop(.pixels(x: 560, y: 210, width: 140, height: 105))]
    #expect(try empty.apply(to: picture.bitmap).averageColor().alpha == 0)
  }

  @Test("AnimationTool: what it refuses")
  func refusedAnimation() async throws {
    let program = try Program("AnimationTool")
    let pan = Photos.path("pan.gif")
    let range = try await program.run(["convert", pan, program.file("out.gif"), "--frames", "2-14"])
    #expect(range.errors.contains("there is no frame 14: the last one is 13"))
    let format = try await program.run(["convert", pan, program.file("out.jpg")])
    #expect(format.errors.contains("name a .gif, .webp, .png or .avif"))
    let missing = try await program.run(["info", program.file("none.gif")])
    #expect(missing.errors.contains("none.gif cannot be read"))
    #expect(range.status != 0 && format.status != 0 && missing.status != 0)
  }
}
