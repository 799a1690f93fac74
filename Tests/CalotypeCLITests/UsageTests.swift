import Testing

/// Wrong usage ends with status 2, says what is wrong on standard error and writes nothing.
@Suite("Command: usage")
struct UsageTests {
  @Test(
    "what may be a password is not repeated",
    arguments: [
      ["get", "http://h/", "--proxy", "ann:geheim@host"], ["get", "http://h/", "--proxy", "x'\nann:geheim"],
      ["get", "http://h/", "--fallback", "ann:geheim@h/x.png"],
      ["get", "http://h/", "--header", "Authorization geheim"],
      ["get", "http://h/", "--user", "geheim"], ["get", "http:ann:geheim@h/"],
      ["get", "http:///ann:geheim@h/"],
      ["get", "HTTPS:/ann:geheim@h/"], ["info", "http:\\\\ann:geheim@h/"],
    ])
  func secrets(arguments: [String]) throws {
    for json in [[], ["--json"]] {
      let run = try Tool.run(arguments + json)
      #expect(run.status != 0 && !(run.errors + run.output).isEmpty)
      #expect(!(run.errors + run.output).contains("geheim"), "\(run)")
    }
  }

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
      (["get", "--quality", "ssim2:200", "x.jpg"], "at most 100"),
      (["optimize", "--lossy", "--quality", "dssim:2", "x.jpg"], "at most 1"),
      (["get", "--concurrency", "0", "x.jpg"], "concurrency"),
      (["get", "--timeout", "0", "x.jpg"], "timeout"),
      (["get", "--header", "no colon", "x.jpg"], "header"),
      (["get", "--retries", "21", "x.jpg"], "retries"),
      (["get", "--user", "nobody", "x.jpg"], "user"),
      (["get", "--user", "a:b", "--header", "authorization: c", "x.jpg"], "--user"),
      (["get", "--proxy", "ftp://proxy", "x.jpg"], "proxy"),
      (["get", "--proxy", "http://proxy:3128", "--public-only", "x.jpg"], "--public-only"),
      (["get", "--max-bytes", "0", "x.jpg"], "max-bytes"),
      (["get", "--cache-policy", "sometimes", "x.jpg"], "cache-policy"),
      (["get", "--cache-policy", "cache-only", "--no-cache", "x.jpg"], "--no-cache"),
      (["get", "--deadline", "0", "x.jpg"], "--deadline"),
      (["get", "--priority", "asap", "x.jpg"], "priority"),
      (["get", "--fallback", "x.jpg", "x.jpg"], "fallback"),
      (["get", "--ignore-query", "--key-parameters", "id", "x.jpg"], "--key-parameters"),
      (["get", "--key-parameters", ",", "x.jpg"], "--key-parameters"),
      (["get", "--partition", "", "x.jpg"], "--partition"),
      (["get", "--format-hint", "doc", "x.jpg"], "format-hint"),
      (["get", "--expect", "moving", "x.jpg"], "expect"),
      (["get", "--max-pixels", "0", "x.jpg"], "--max-pixels"),
      (["get", "--events", "x.jpg"], "--json"),
      (["get", "--json", "x.jpg", "-o", "-"], "--json"),
      (["get", "x.jpg", "y.jpg", "-o", "-"], "one image"),
      (["get", "x.jpg", "y.jpg", "-o", "z.webp"], "z.webp/"),
      (["get", "x.jpg", "--revalidate", "--no-cache"], "--revalidate"),
      (["convert", "x.jpg", "-"], "--format"),
      (["convert", "x.jpg", "-", "--format", "png", "--json"], "--json"),
      (["cache", "export"], "file"),
      (["cache", "export", "-", "--json"], "--json"),
      (["cache", "import"], "file"),
      (["prefetch"], "list"),
      (["prefetch", "--thumbnail", "10x", "-"], "--decode"),
      (["prefetch", "--decode", "-"], "--thumbnail"),
      (["prefetch", "--decode", "--format", "png", "-"], "files that `calotype get` writes"),
      (["prefetch", "--decode", "--as-stored", "-"], "--as-stored"),
      (["prefetch", "--cache-policy", "loader-only", "-"], "loader-only"),
      (["prefetch", "--concurrency", "0", "-"], "--concurrency"),
      (["info", "--timeout", "0", "x.jpg"], "timeout"),
      (["get", "--format", "tiff", "x.jpg"], "format"),
      (["get", "--lossless", "--format", "gif", "x.gif"], "--lossless"),
      (["convert", "in.jpg"], "out"),
      (["convert", "in.jpg", "out"], "--format"),
      (["show"], "url|file"),
      (["show", "x.jpg"], "not a terminal"),
      (["show", "--json", "x.jpg"], "not a terminal"),
      (["show", "--protocol", "ascii", "x.jpg"], "protocol"),
      (["show", "--width", "0", "x.jpg"], "--width"),
      (["show", "--height", "5000", "x.jpg"], "--height"),
      (["show", "--background", "clear", "x.jpg"], "--background"),
      (["show", "--loops", "-1", "x.jpg"], "loops"),
      (["show", "--first-frame", "--loops", "2", "x.jpg"], "--loops"),
      (["show", "--no-cache", "--cache-policy", "cache-only", "x.jpg"], "--no-cache"),
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
      ["prefetch", "--help"], ["show", "--help"], ["cache", "export", "--help"],
      ["cache", "import", "--help"],
    ] {
      let run = try Tool.run(arguments)
      #expect(run.status == 0)
      #expect(run.output.contains("USAGE: calotype"))
      #expect(run.errors.isEmpty)
    }
    // Options of files are those of `get`.
    #expect(try !Tool.run("prefetch", "--help").output.contains("--lossless"))
    #expect(try Tool.run("get", "--help").output.contains("--lossless"))
    #expect(try Tool.run("browse", "--help").output.contains("(default: 64M)"))
    #expect(
      try Tool.run("transforms", "--help").output.split(separator: "\n").contains {
        $0.contains("calotype convert") && $0.contains("round:24")
      })
    #expect(try Tool.run("--version").output.hasPrefix("calotype "))
  }
}
