import Testing

/// Wrong usage ends with status 2, says what is wrong on standard error and writes nothing.
@Suite("Command: usage")
struct UsageTests {
  @Test(
    "wrong options are told and end with status 2",
    arguments: [
      (["get"], "url|file"),
      (["get", "--nonsense", "x.jpg"], "--nonsense"),
      (["get", "--thumbnail", "0x0", "x.jpg"], "thumbnail"),
      (["get", "--thumbnail", "0x10", "x.jpg"], "thumbnail"),
      (["get", "--thumbnail", "10", "x.jpg"], "thumbnail"),
      (["get", "--thumbnail", "-5x10", "x.jpg"], "thumbnail"),
      (["get", "--fill", "x.jpg"], "--fill"),
      (["get", "--quality", "101", "x.jpg"], "quality"),
      (["get", "--concurrency", "0", "x.jpg"], "concurrency"),
      (["get", "--timeout", "0", "x.jpg"], "timeout"),
      (["get", "--header", "no colon", "x.jpg"], "header"),
      (["get", "--retries", "21", "x.jpg"], "retries"),
      (["get", "--user", "nobody", "x.jpg"], "user"),
      (["get", "--user", "a:b", "--header", "authorization: c", "x.jpg"], "--user"),
      (["get", "--proxy", "ftp://proxy", "x.jpg"], "proxy"),
      (["get", "--proxy", "http://proxy:3128", "--public-only", "x.jpg"], "--public-only"),
      (["get", "--max-bytes", "0", "x.jpg"], "max-bytes"),
      (["info", "--timeout", "0", "x.jpg"], "timeout"),
      (["get", "--format", "tiff", "x.jpg"], "format"),
      (["get", "--lossless", "--format", "jpeg", "x.jpg"], "--lossless"),
      (["convert", "in.jpg"], "out"),
      (["convert", "in.jpg", "out"], "--format"),
      (["nonsense"], "nonsense"),
      (["cache", "nonsense"], "nonsense"),
    ])
  func wrongUsage(arguments: [String], mentions: String) throws {
    let run = try Tool.run(arguments)
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains(mentions))
  }

  @Test("help and version go to standard output with status 0")
  func help() throws {
    for arguments in [
      ["--help"], ["get", "--help"], ["info", "--help"], ["convert", "--help"], ["cache", "--help"],
    ] {
      let run = try Tool.run(arguments)
      #expect(run.status == 0)
      #expect(run.output.contains("USAGE: calotype"))
      #expect(run.errors.isEmpty)
    }
    #expect(try Tool.run("--version").output.hasPrefix("calotype "))
  }
}
