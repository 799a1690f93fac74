import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials
import TerminalScreens
import Testing

/// The workers of the command are the command itself.
@Suite("Command: sandbox", .timeLimit(.minutes(2)), .enabled(if: !Sanitizer.isOn))
struct SandboxTests {
  private func hashes(_ name: String, _ options: String..., environment: [String: String] = [:]) throws
    -> [String]
  {
    let run = try Tool.run(
      ["info", "--json", "--hash", Photos.path(name)] + options, environment: environment)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    return try #require(run.jsonLines()[0].pixelsSHA256)
  }

  @Test(
    "pixels are the same in and out of it", arguments: ["stream.jpg", "brushes.png", "dogs.webp", "pan.gif"])
  func equality(name: String) throws {
    let here = try hashes(name)
    #expect(try hashes(name, "--sandbox") == here)
    #expect(try hashes(name, environment: ["CALOTYPE_SANDBOX": "1"]) == here)
    #expect(try hashes(name, "--sandbox", "--chunk", "997") == here)
  }

  @Test("check tells the posture")
  func check() throws {
    let run = try Tool.run("sandbox", "check", "--json")
    #expect(run.status == 0 && run.errors.isEmpty && run.output.contains("\"available\":true"), "\(run)")
    #expect(run.output.contains("\"seccomp\":true"))
  }

  #if SVG
  @Test("drawings need no option", .enabled(if: CoderRegistry.sandboxed.decodableFormats.contains(.svg)))
  func drawing() throws {
    let folder = try Tool.Folder()
    let source = Photos.fixture("../svg/gen-bars.svg")
    let drawn = try Tool.run("convert", source, folder.file("a.png"), "--json", "--thumbnail", "30x30")
    #expect(drawn.status == 0 && drawn.errors.isEmpty, "\(drawn)")
    let line = try drawn.jsonLines()[0]
    #expect(max(line.width ?? 0, line.height ?? 0) == 30)
    // The hint decides, not the bytes.
    let hinted = try Tool.run("get", "--format-hint", "svg", source, "--json", "-o", folder.file("b.png"))
    #expect(hinted.status == 0, "\(hinted)")
    let wrong = try Tool.run(
      "get", "--format-hint", "svg", Photos.path("stream.jpg"), "--json", "-o", folder.file("c.png"))
    #expect(wrong.status == 1)
  }
  #endif
}
