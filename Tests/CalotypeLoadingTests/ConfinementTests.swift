import CalotypeLoading
import FoundationEssentials
import Glibc
import Testing

/// `root/a` and `root/sub/b` may be read, `secret/c` may not.
@Suite("Confinement of file loading", .timeLimit(.minutes(1)))
final class ConfinementTests {
  private let folder: URL
  private let root: String
  private let outside: String

  init() throws {
    folder = try LocalServer.makeFolder()
    root = folder.appending(path: "root").path
    outside = folder.appending(path: "secret").path
    for path in [root + "/sub", outside] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    for (path, byte) in [(root + "/a", 1), (root + "/sub/b", 2), (outside + "/c", 3)] {
      try Data([UInt8(byte)]).write(to: URL(filePath: path))
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// What is at a `file:` URL of `path`, which is taken as it is written; `nil` when it is outside the roots.
  private func load(_ path: String, roots: [String]) async throws -> UInt8? {
    let url = try #require(URL(string: "file://" + path))
    do {
      return try await FileLoader(roots: roots).data(for: LoadRequest(url: url)).0.first
    } catch LoadingError.outsideRoots(url) {
      return nil
    }
  }

  @Test func dots() async throws {
    #expect(try await load("\(root)/sub/../a", roots: [root]) == 1)
    #expect(try await load("\(root)/./sub//b", roots: [root]) == 2)
    #expect(try await load("\(outside)/../root/a", roots: [root]) == 1)
    for way in ["/../secret/c", "/sub/../../secret/c", "/./../secret/c", "//..//secret/c"] {
      #expect(try await load(root + way, roots: [root]) == nil)
    }
    // Where the way leads counts, not that it comes by.
    #expect(try await load("\(root)/../secret/c", roots: [root, outside]) == 3)
  }

  @Test(arguments: [
    "/%2e%2e/secret/c", "/..%2Fsecret/c", "/%2E%2E%2Fsecret%2fc", "/sub%2F..%2F..%2Fsecret%2Fc",
    "%2F..%2Fsecret/c",
  ])
  func percentEncodedWaysOut(way: String) async throws {
    #expect(try await load(root + way, roots: [root]) == nil)
  }

  @Test func percentEncodedNames() async throws {
    #expect(try await load("\(root)/%61", roots: [root]) == 1)
    #expect(try await load("\(root)/sub%2Fb", roots: [root]) == 2)
    // Decoded once: what is left is a name.
    let twice = try #require(URL(string: "file://\(root)/%252e%252e/secret/c"))
    let error = await loadingError { _ = try await FileLoader(roots: [root]).load(LoadRequest(url: twice)) }
    #expect(error == .fileNotFound(twice))
  }

  @Test(arguments: ["/a%00", "/a%00b", "/%00", "/../secret/c%00/../../root/a", "/a%00/../../secret/c"])
  func nulBytes(way: String) async throws {
    let url = try #require(URL(string: "file://" + root + way))
    for loader in [FileLoader(), FileLoader(roots: [root])] {
      let error = await loadingError { _ = try await loader.load(LoadRequest(url: url)) }
      #expect(error?.code == "invalidURL")
    }
  }

  @Test func links() async throws {
    func link(_ name: String, to target: String) { #expect(symlink(target, root + "/" + name) == 0) }
    link("absolute", to: outside + "/c")
    link("relative", to: "../secret/c")
    link("folder", to: "../secret")
    link("first", to: "folder/c")
    link("inner", to: "sub/b")
    link("around", to: "../secret/../root/a")
    for name in ["absolute", "relative", "folder/c", "first", "sub/../folder/c"] {
      #expect(try await load("\(root)/\(name)", roots: [root]) == nil, "\(name)")
      #expect(try await load("\(root)/\(name)", roots: [root, outside]) == 3, "\(name)")
    }
    #expect(try await load("\(root)/inner", roots: [root]) == 2)
    #expect(try await load("\(root)/around", roots: [root]) == 1)
    // The link is in the root of its own; the file behind it is not.
    #expect(try await load("\(root)/inner", roots: [root + "/sub"]) == 2)
    #expect(try await load("\(root)/around", roots: [root + "/sub"]) == nil)
  }

  @Test func linksToNowhere() async throws {
    #expect(symlink(root + "/none", root + "/dangling") == 0)
    #expect(symlink("loop", root + "/loop") == 0)
    let loader = FileLoader(roots: [root])
    for (name, code) in [("dangling", "fileNotFound"), ("loop", "fileUnreadable")] {
      let url = URL(filePath: "\(root)/\(name)")
      #expect(await loadingError { _ = try await loader.load(LoadRequest(url: url)) }?.code == code)
    }
  }

  @Test func rootsThatAreLinks() async throws {
    let alias = folder.appending(path: "alias").path
    #expect(symlink("root", alias) == 0)
    #expect(try await load("\(alias)/a", roots: [alias]) == 1)
    #expect(try await load("\(root)/a", roots: [alias]) == 1)
    #expect(try await load("\(alias)/a", roots: [root]) == 1)
    #expect(try await load("\(alias)/../secret/c", roots: [alias]) == nil)
    // Looked at anew for each load: a deployment switches it.
    #expect(unlink(alias) == 0 && symlink("secret", alias) == 0)
    #expect(try await load("\(alias)/c", roots: [alias]) == 3)
    #expect(try await load("\(root)/a", roots: [alias]) == nil)
  }

  @Test func waysToWriteARoot() async throws {
    for spelling in [root + "/", root + "//", root + "/.", root + "/sub/..", "/"] {
      #expect(try await load("\(root)/a", roots: [spelling]) == 1, "\(spelling)")
    }
    // A file is no folder, and half a name is not a root.
    for spelling in [root + "/a", String(root.dropLast()), "", root + "/none"] {
      #expect(try await load("\(root)/a", roots: [spelling]) == nil, "\(spelling)")
    }
  }
}
