import FoundationEssentials
import TerminalScreens
import Testing

@Suite("Command: compare")
struct CompareTests {
  struct Report: Decodable {
    let original: String
    let image: String
    let width: Int
    let height: Int
    let ssimulacra2: Double
    let dssim: Double?
    let psnr: Double?
    let isEqual: Bool
    let difference: String?
  }

  private func report(_ arguments: String...) throws -> Report {
    let run = try Tool.run(["compare", "--json"] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
  }

  @Test("equal pictures, and pictures of a lower quality")
  func scores() throws {
    let folder = try Tool.Folder()
    let (png, jpeg, difference) = (folder.file("a.png"), folder.file("a.jpg"), folder.file("d.png"))
    _ = try Tool.run("convert", Photos.path("stream.jpg"), png, "--thumbnail", "320x")
    _ = try Tool.run("convert", png, jpeg, "--quality", "30")
    let equal = try report(png, png)
    #expect(equal.isEqual && equal.ssimulacra2 == 100 && equal.psnr == nil && equal.dssim == 0)
    #expect(equal.width == 320 && equal.difference == nil)
    let lossy = try report(png, jpeg, "--difference", difference)
    #expect(!lossy.isEqual && lossy.ssimulacra2 > 20 && lossy.ssimulacra2 < 70)
    #expect((lossy.psnr ?? 0) > 20 && (lossy.dssim ?? 0) > 0.001 && lossy.difference == difference)
    let info = try #require(try Tool.run("info", "--json", difference).jsonLines().first)
    #expect(info.width == 320 && info.format == "png")
    let text = try Tool.run("compare", png, jpeg)
    #expect(text.status == 0 && text.output.contains("SSIMULACRA2  \(lossy.ssimulacra2)"))
  }

  @Test("different sizes, missing files and wrong words have their own ends")
  func failures() throws {
    let folder = try Tool.Folder()
    let small = folder.file("a.png")
    _ = try Tool.run("convert", Photos.path("stream.jpg"), small, "--thumbnail", "100x")
    let sizes = try Tool.run("compare", "--json", Photos.path("stream.jpg"), small)
    #expect(sizes.status == 1)
    #expect(try sizes.jsonLines().first?.error?.code == "differentSizes")
    let missing = try Tool.run("compare", small, folder.file("none.png"))
    #expect(missing.status == 1 && missing.errors.contains("none.png"))
    #expect(try Tool.run("compare", small).status == 2)
    #expect(try Tool.run("compare", small, small, "--difference", folder.file("d.xyz")).status == 2)
    #expect(folder.names == ["a.png"])
  }

  @Test("a palette has as many colours as a measured quality needs")
  func palettes() throws {
    let folder = try Tool.Folder()
    let (png, palette) = (folder.file("a.png"), folder.file("b.png"))
    _ = try Tool.run("convert", Photos.path("dandelion.jpg"), png, "--thumbnail", "400x")
    func size(_ options: String...) throws -> Int {
      #expect(try Tool.run(["convert", png, palette] + options).status == 0)
      return try Data(contentsOf: URL(filePath: palette)).count
    }
    let full = try size("--colors", "256")
    #expect(try size() > full)
    #expect(try size("--colors", "256", "--quality", "ssim2:60") < full)
    #expect(try report(png, palette).ssimulacra2 >= 59)
    for wrong in ["1", "257", "x"] {
      #expect(try Tool.run("convert", png, palette, "--colors", wrong).status == 2, "\(wrong)")
    }
  }

  @Test("a measured quality is searched, and a wrong one is refused")
  func targets() throws {
    let folder = try Tool.Folder()
    let (png, jpeg) = (folder.file("a.png"), folder.file("a.jpg"))
    _ = try Tool.run("convert", Photos.path("dandelion.jpg"), png, "--thumbnail", "400x")
    #expect(try Tool.run("convert", png, jpeg, "--quality", "ssim2:72").status == 0)
    #expect(abs(try report(png, jpeg).ssimulacra2 - 72) < 1.5)
    let balanced = try Data(contentsOf: URL(filePath: jpeg)).count
    #expect(
      try Tool.run(
        "convert", png, jpeg, "--quality", "ssim2:72", "--effort", "small", "--subsampling", "auto"
      ).status == 0)
    #expect(try Data(contentsOf: URL(filePath: jpeg)).count < balanced)
    for wrong in ["ssim2:", "ssim2:101", "ssim2:x", "ssim2:0x46", "vmaf:90", "dssim:0", "101", "-1"] {
      #expect(try Tool.run("convert", png, jpeg, "--quality=\(wrong)").status == 2, "\(wrong)")
    }
  }
}
