import Testing

@Suite("Command: cache")
struct CacheTests {
  @Test("path, stats and clear agree with what get has stored")
  func cache() throws {
    let folder = try Tool.Folder()
    let cache = folder.file("cache")
    #expect(try Tool.run("cache", "path", "--cache-dir", cache).output.hasPrefix(cache))
    #expect(try Tool.run("cache", "stats", "--json", "--cache-dir", cache).jsonLines()[0].records == 0)
    #expect(try Tool.run("cache", "clear", "--json", "--cache-dir", cache).jsonLines()[0].removedRecords == 0)
  }

  @Test("the folder follows XDG_CACHE_HOME")
  func place() throws {
    let folder = try Tool.Folder()
    let run = try Tool.run(["cache", "path"], environment: ["XDG_CACHE_HOME": folder.path])
    #expect(run.output.hasPrefix(folder.path + "/calotype"))
  }
}
