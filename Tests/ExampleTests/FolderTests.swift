import Calotype
import Foundation
import Testing

/// The output and the files of the examples that go through folders.
@Suite("Examples: folders", .timeLimit(.minutes(5)))
struct FolderTests {
  /// Copies a photo into the folder of a program.
  private func copy(_ photo: String, to name: String, for program: Program) throws {
    let folder = program.file("images")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Photos.path(photo), toPath: folder + "/" + name)
  }

  @Test("Batch: thumbnails, an error, exit status")
  func batch() async throws {
    let program = try Program("Batch")
    try copy("dogs.webp", to: "dogs.webp", for: program)
    try copy("stream.jpg", to: "stream.JPG", for: program)
    try Data("text".utf8).write(to: URL(filePath: program.file("images/broken.png")))
    try Data("text".utf8).write(to: URL(filePath: program.file("images/notes.txt")))

    let arguments = [program.file("images"), program.file("thumbnails"), "--size", "90x60"]
    let outcome = try await program.run(arguments)
    #expect(outcome.status == 1)
    #expect(outcome.lines.count == 1 && outcome.output.hasPrefix("2 of 3 thumbnails, 1 failed · 0.7 MB"))
    #expect(outcome.errors == "broken.png: not an image: this is text\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: program.file("thumbnails")).sorted()
    #expect(names == ["dogs.webp.webp", "stream.JPG.webp"])
    let thumbnail = try Image(contentsOf: URL(filePath: program.file("thumbnails/stream.JPG.webp")))
    #expect(thumbnail.size == PixelSize(width: 90, height: 60))

    try FileManager.default.removeItem(atPath: program.file("images/broken.png"))
    #expect(try await program.run(arguments).status == 0)
  }

  @Test("Batch: one JSON object a line")
  func batchJSON() async throws {
    let program = try Program("Batch")
    try copy("dogs.webp", to: "dogs.webp", for: program)
    try Data("text".utf8).write(to: URL(filePath: program.file("images/broken.png")))
    let outcome = try await program.run([program.file("images"), program.file("thumbnails"), "--json"])
    #expect(outcome.status == 1)
    #expect(outcome.errors == "")
    struct Line: Decodable {
      struct Failure: Decodable { let code: String }
      var file: String?
      var width: Int?
      var error: Failure?
      var made: Int?
      var failed: Int?
    }
    let lines = try outcome.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    #expect(lines.count == 3)
    #expect(lines.contains { $0.file == "dogs.webp" && $0.width == 160 })
    #expect(lines.contains { $0.file == "broken.png" && $0.error?.code == "unrecognizedFormat" })
    #expect(lines.last?.made == 1 && lines.last?.failed == 1)
  }

  @Test("Batch: ^C ends it, and it tells what was done")
  func interruptedBatch() async throws {
    let program = try Program("Batch")
    // Files enough for minutes, in the space of one.
    try copy("mountains.jpg", to: "0.jpg", for: program)
    for number in 1..<200 {
      try FileManager.default.linkItem(
        atPath: program.file("images/0.jpg"), toPath: program.file("images/\(number).jpg"))
    }
    let arguments = [program.file("images"), program.file("thumbnails"), "--json", "--concurrency", "1"]
    let outcome = try await program.run(arguments) { process, output in
      while try Data(contentsOf: URL(filePath: output)).isEmpty, process.isRunning {
        try await Task.sleep(for: .milliseconds(10))
      }
      process.interrupt()
    }
    #expect(outcome.status == 130)
    #expect((2..<200).contains(outcome.lines.count))
    #expect(outcome.lines.last?.contains("\"images\":200") == true)
    #expect(outcome.lines.last?.contains("\"failed\":0") == true)
  }

  @Test("ContactSheet: a page with files beside it")
  func contactSheet() async throws {
    let program = try Program("ContactSheet")
    let outcome = try await program.run([Photos.folder, program.file("sheet.html")])
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("sheet.html: 8 images, "))
    let page = try String(contentsOfFile: program.file("sheet.html"), encoding: .utf8)
    #expect(page.ranges(of: "<figure>").count == 8)
    #expect(page.contains("width=\"240\" height=\"135\" alt=\"dandelion\""))
    #expect(page.contains("<small>gif · 280×210 · 14 frames · 542 KB</small>"))
    // One is transparent: a placeholder would shine through it.
    #expect(page.ranges(of: "url(data:image/webp;base64,").count == 7)
    #expect(page.contains("prefers-color-scheme: dark"))
    #expect(!page.contains("<script") && !page.contains("onload"))
    for (name, size) in [
      ("dandelion.jpg.webp", PixelSize(width: 240, height: 135)),
      ("dandelion.jpg@2x.webp", PixelSize(width: 480, height: 270)),
    ] {
      #expect(try Image(contentsOf: URL(filePath: program.file("sheet-files/\(name)"))).size == size)
    }
  }

  @Test("ContactSheet: inline, with a name that is markup, and an image that is none")
  func inlineContactSheet() async throws {
    let program = try Program("ContactSheet")
    try copy("dogs.webp", to: "<b>my \"dogs\" & I.webp", for: program)
    try Data("text".utf8).write(to: URL(filePath: program.file("images/broken.png")))
    let outcome = try await program.run([program.file("images"), program.file("sheet.html"), "--inline"])
    #expect(outcome.status == 1)
    #expect(outcome.lines.first == "broken.png: not an image: this is text")
    let page = try String(contentsOfFile: program.file("sheet.html"), encoding: .utf8)
    #expect(page.contains("alt=\"&lt;b&gt;my &quot;dogs&quot; &amp; I\""))
    #expect(page.contains("src=\"data:image/webp;base64,"))
    #expect(!page.contains("<b>"))
    #expect(!FileManager.default.fileExists(atPath: program.file("sheet-files")))
  }

  @Test("contact-sheet.sh: the sheet of the documentation")
  func contactSheetOfTransforms() async throws {
    let program = try Program(script: Photos.folder + "/../contact-sheet.sh")
    let outcome = try await program.run([program.file("sheet.jpg")])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let resources = Photos.folder + "/../../DocC/Calotype.docc/Resources"
    let (made, shown) = try (
      Image(contentsOf: URL(filePath: program.file("sheet.jpg"))),
      Image(contentsOf: URL(filePath: resources + "/contact-sheet.jpg"))
    )
    #expect(made.size == shown.size)
    // The encoder may have changed since it was drawn, the tiles not.
    #expect(try ImageQuality(original: shown.bitmap).ssimulacra2(of: made.bitmap) > 65)
  }
}
