import CalotypeTestKit
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

@Suite("Command: standard output", .timeLimit(.minutes(2)))
struct StandardOutputTests {
  let folder: Tool.Folder

  init() throws { folder = try Tool.Folder() }

  /// Runs the command with standard output to a file.
  private func bytes(_ arguments: [String]) throws -> (run: Tool.Run, bytes: Data) {
    let descriptor = open(folder.file("stdout"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let run = try Tool.start(arguments, output: descriptor).wait()
    return (run, try Data(contentsOf: URL(filePath: folder.file("stdout"))))
  }

  @Test("the output - is standard output, for get and convert, with nothing else on it")
  func bytes() throws {
    let photo = Photos.path("dogs.webp")
    let served = try bytes(["get", photo, "-o", "-", "--no-cache"])
    #expect(try served.run.status == 0 && served.bytes == Photos.data("dogs.webp"), "\(served.run)")
    #expect(served.run.errors.isEmpty)
    _ = try Tool.run("convert", photo, folder.file("a.png"), "--thumbnail", "20x")
    let expected = try Data(contentsOf: URL(filePath: folder.file("a.png")))
    let converted = try bytes(["convert", photo, "-", "--format", "png", "--thumbnail", "20x"])
    #expect(converted.run.status == 0 && converted.bytes == expected && converted.run.errors.isEmpty)
    let got = try bytes([
      "get", photo, "-o", "-", "--format", "png", "--thumbnail", "20x", "--cache-dir", folder.file("cache"),
    ])
    #expect(got.run.status == 0 && got.bytes == expected)
    let negotiated = try bytes(["get", photo, "-o", "-", "--accept", "image/png", "--no-cache"])
    #expect(negotiated.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(!FileManager.default.fileExists(atPath: "-"))
  }

  @Test("a pipe gets all bytes, however slowly it is read")
  func pipe() throws {
    var ends: [Int32] = [-1, -1]
    #expect(Glibc.pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let child = try Tool.start(["get", Photos.path("stream.jpg"), "-o", "-", "--no-cache"], output: ends[1])
    close(ends[1])
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1000)
    while case let count = read(ends[0], &buffer, buffer.count), count > 0 { data += buffer.prefix(count) }
    close(ends[0])
    #expect(try child.wait().status == 0)
    #expect(try data == Photos.data("stream.jpg"))
  }

  @Test("a reader that is gone is an error")
  func brokenPipe() throws {
    var ends: [Int32] = [-1, -1]
    #expect(Glibc.pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    close(ends[0])
    let run = try Tool.start(["get", Photos.path("stream.jpg"), "-o", "-", "--no-cache"], output: ends[1])
      .wait()
    close(ends[1])
    #expect(run.status == 1 && run.errors.contains("cannot write standard output"), "\(run)")
  }

  @Test("a terminal is refused, unless forced")
  func terminal() throws {
    let cache = folder.file("cache")
    _ = try Tool.run(
      "get", Photos.path("dogs.webp"), "--thumbnail", "2x2", "-o", folder.file("a.png"), "--cache-dir", cache)
    for arguments in [
      ["get", Photos.path("dogs.webp"), "-o", "-", "--no-cache", "--format", "png"],
      ["convert", Photos.path("dogs.webp"), "-", "--format", "png"],
      ["cache", "export", "-", "--cache-dir", cache],
    ] {
      let refusing = try Terminal(columns: 80, rows: 24)
      let refused = try Tool.start(arguments, output: refusing.end)
      refusing.letGo()
      refusing.drain()
      let run = try refused.wait()
      #expect(run.status == 2 && run.errors.contains("is a terminal") && refusing.bytes.isEmpty, "\(run)")
      let forcing = try Terminal(columns: 80, rows: 24)
      let forced = try Tool.start(
        arguments + ["--force", "--thumbnail", "2x2"].prefix(arguments[0] == "cache" ? 1 : 3),
        output: forcing.end)
      forcing.letGo()
      forcing.drain()
      #expect(try forced.wait().status == 0)
      #expect(!forcing.bytes.isEmpty)
    }
  }
}
