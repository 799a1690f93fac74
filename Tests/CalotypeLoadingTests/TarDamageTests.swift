import CalotypeLoading
import FoundationEssentials
import Glibc
import Testing

@testable import TarLoader

/// Archives made to break what reads them.
@Suite("Hostile tar archives", .timeLimit(.minutes(5)))
final class TarDamageTests {
  private let folder: URL
  private let loader: TarLoader

  init() throws {
    folder = try LocalServer.makeFolder()
    loader = TarLoader(roots: [folder.path])
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func save(_ data: Data) throws -> String {
    let url = folder.appending(path: "\(UUID().uuidString).tar")
    try data.write(to: url)
    return url.path
  }

  private func load(_ entry: String, from data: Data) async throws -> Data {
    try await loader.data(for: LoadRequest(url: TarLoader.url(of: entry, in: save(data)))).0
  }

  private func error(_ data: Data, _ loader: TarLoader? = nil) async throws -> LoadingError? {
    let request = LoadRequest(url: try TarLoader.url(of: "a", in: save(data)))
    return await loadingError { _ = try await (loader ?? self.loader).data(for: request) }
  }

  /// Why an archive is refused.
  private func damage(_ data: Data, _ loader: TarLoader? = nil) async throws -> String? {
    guard case .protocolError(_, let reason) = try await error(data, loader) else { return nil }
    return reason
  }

  private func archive(_ build: (inout TarBuilder) -> Void) -> Data {
    var builder = TarBuilder()
    build(&builder)
    builder.end()
    return builder.data
  }

  @Test func wellFormed() async throws {
    let data = archive {
      $0.file("a", pattern(700))
      $0.pax([("path", "long/" + String(repeating: "x", count: 300)), ("mtime", "1.5")])
      $0.file("short", pattern(10))
      $0.pax([("comment", "for all")], type: "g")
      $0.file("c", pattern(20))
    }
    #expect(try await load("a", from: data) == pattern(700))
    #expect(try await load("long/" + String(repeating: "x", count: 300), from: data) == pattern(10))
    #expect(try await load("c", from: data) == pattern(20))
  }

  @Test func truncated() async throws {
    let whole = archive {
      $0.pax([("path", "a")])
      $0.file("x", pattern(700))
    }
    // The first block of zeros is the end already.
    for count in [0, 1, 511, 512, 513, 1_023, 1_024, 1_025, 1_535, 1_536, 2_235, 2_559, 2_560, 3_071] {
      let reason = try await damage(whole.prefix(count))
      #expect(reason?.contains("cut off") == true || reason?.contains("beyond the end") == true, "\(count)")
    }
    #expect(try await load("a", from: whole.prefix(3_072)) == pattern(700))
  }

  @Test func checksums() async throws {
    for checksum in ["0000000\0", "0012345\0", "9999999\0", "        ", "\0\0\0\0\0\0\0\0", "77777777"] {
      var builder = TarBuilder()
      builder.header("a", size: .octal(1), checksum: checksum)
      builder.contents(Data([1]))
      builder.end()
      #expect(try await damage(builder.data)?.contains("checksum") == true, "\(checksum)")
    }
    let good = archive { $0.file("a", Data([1])) }
    for offset in [0, 100, 124, 156, 300, 511] {
      var bad = good
      bad[offset] ^= 1
      #expect(try await damage(bad)?.contains("at byte 0, the checksum") == true)
    }
    // The second header is named by where it is.
    var second = archive {
      $0.file("a", Data([1]))
      $0.file("b", Data([2]))
    }
    second[1_030] ^= 1
    #expect(try await damage(second)?.contains("at byte 1024, the checksum") == true)
    #expect(try await damage(pattern(5_000)) != nil)
  }

  /// As some old programs did.
  @Test func signedChecksum() async throws {
    var builder = TarBuilder()
    builder.header([0x61, 0xE9], size: .octal(1))
    var block = [UInt8](builder.data)
    for index in 148..<156 { block[index] = 0x20 }
    let sum = String(block.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }, radix: 8)
    block.replaceSubrange(
      148..<156, with: Array((String(repeating: "0", count: 6 - sum.count) + sum + "\0 ").utf8))
    let archive = Data(block) + Data([7]) + Data(count: 511 + 1_024)
    let path = try save(archive)
    // A name that is not UTF-8, as the URL has to spell it.
    let url = try #require(URL(string: "tar://\(path)#a%E9"))
    #expect(try await loader.data(for: LoadRequest(url: url)).0 == Data([7]))
  }

  @Test func sizes() async throws {
    let wrong: [(TarBuilder.Size, String)] = [
      (.bytes([UInt8](repeating: 0xFF, count: 12)), "negative"),
      (.bytes([0xC0] + [UInt8](repeating: 0, count: 11)), "negative"),
      (.bytes([0xFF] + [UInt8](repeating: 0, count: 10) + [1]), "negative"),
      (.bytes([0xBF] + [UInt8](repeating: 0xFF, count: 11)), "larger than a file can be"),
      (.bytes([0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]), "larger than a file can be"),
      (.bytes([0x80, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]), "larger than a file can be"),
      (.binary(.max), "beyond the end"), (.binary(.max - 511), "beyond the end"),
      (.bytes(Array("777777777777".utf8)), "beyond the end"), (.octal(100_000), "beyond the end"),
      (.octal(1_537), "beyond the end"), (.bytes(Array("00000000008\0".utf8)), "not an octal number"),
      (.bytes(Array("-0000000001\0".utf8)), "not an octal number"),
      (.bytes(Array("0x000000001\0".utf8)), "not an octal number"),
    ]
    for (size, reason) in wrong {
      let data = archive {
        $0.header("a", size: size)
        $0.contents(Data([1]))
      }
      #expect(try await damage(data)?.contains(reason) == true, "\(size)")
    }
    for size in [
      .octal(5), .binary(5), .bytes(Array("          5 ".utf8)), .bytes(Array("5\0junk here!".utf8)),
    ]
      as [TarBuilder.Size]
    {
      let data = archive {
        $0.header("a", size: size)
        $0.contents(pattern(5))
      }
      #expect(try await load("a", from: data) == pattern(5), "\(size)")
    }
  }

  /// Nine gigabytes that are not there: 33 bits of size.
  @Test(arguments: [false, true])
  func largeEntries(pax: Bool) async throws {
    let large = 9 << 30
    var builder = TarBuilder()
    if pax { builder.pax([("size", "\(large)")]) }
    builder.header("large", size: pax ? .octal(0) : .binary(large))
    let head = builder.data
    let path = try save(head)
    #expect(truncate(path, off_t(head.count + large)) == 0)
    var rest = TarBuilder()
    rest.file("a", pattern(100))
    rest.end()
    let handle = open(path, O_WRONLY)
    let written = rest.data.withUnsafeBytes {
      pwrite(handle, $0.baseAddress, $0.count, off_t(head.count + large))
    }
    close(handle)
    #expect(written == rest.data.count)
    let url = try TarLoader.url(of: "a", in: path)
    #expect(try await loader.data(for: LoadRequest(url: url)).0 == pattern(100))
    let huge = LoadRequest(url: try TarLoader.url(of: "large", in: path))
    let error = await loadingError { _ = try await loader.load(huge) }
    #expect(error == .tooLarge(huge.source, limit: LoadRequest.defaultByteLimit, declared: large))
  }

  @Test func paxRecords() async throws {
    let wrong = [
      "", "5", "6 a=b\n", "99 a=b\n", "5 a=b\n", "x a=b\n", "-6 a=b\n", "0 a=b\n", "3 \n", "6 a=bc",
      "7 a.bc\n\n",
      "99999999999999999999999 a=b\n", "18446744073709551616 a=b\n", "\u{0}", " 6 a=b\n",
    ]
    for text in wrong where !text.isEmpty {
      if text == "6 a=b\n" { continue }
      let data = archive {
        $0.file("x", Data(text.utf8), type: "x")
        $0.file("a", Data([1]))
      }
      #expect(try await damage(data)?.contains("pax record") == true, "\(text)")
    }
    for text in ["", "6 a=b\n", "4 =\n", "6 a=b\n6 c=d\n"] {
      let data = archive {
        $0.file("x", Data(text.utf8), type: "x")
        $0.file("a", Data([1]))
      }
      #expect(try await load("a", from: data) == Data([1]), "\(text)")
    }
    for size in ["-1", "", "+1", "1.5", "9223372036854775808", "99999999999999999999999999", " 1", "0x1"] {
      let data = archive {
        $0.pax([("size", size)])
        $0.file("a", Data([1]))
      }
      #expect(try await damage(data)?.contains("size") == true, "\(size)")
    }
    for size in ["9223372036854775807", "1537"] {
      let data = archive {
        $0.pax([("size", size)])
        $0.file("a", Data([1]))
      }
      #expect(try await damage(data)?.contains("beyond the end") == true, "\(size)")
    }
    let nul = archive {
      $0.pax([("path", "a\u{0}b")])
      $0.file("a", Data([1]))
    }
    #expect(try await damage(nul)?.contains("NUL") == true)
    // An empty value takes the record back, and the last one of a kind counts.
    let last = archive {
      $0.pax([("path", "b"), ("path", "c"), ("path", "")])
      $0.file("a", Data([1]))
    }
    #expect(try await load("a", from: last) == Data([1]))
  }

  @Test func endlessHeaders() async throws {
    let reasons = [
      (archive { $0.header("x", size: .binary(1 << 40), type: "x") }, "at most"),
      (archive { $0.header("x", size: .octal(2 << 20), type: "L") }, "at most"),
      (archive { $0.header("x", size: .octal(1 << 20), type: "x") }, "cut off"),
      (
        archive { builder in for _ in 0..<100 { builder.pax([("path", "a")]) } },
        "follows another one of its kind"
      ),
      (
        archive { builder in for _ in 0..<100 { builder.file("x", Data("long".utf8), type: "L") } },
        "follows another one"
      ),
      (
        archive { builder in for _ in 0..<100 { builder.file("x", Data("long".utf8), type: "K") } },
        "follows another one"
      ),
      (archive { $0.pax([("path", "a")]) }, "followed by no entry"),
      (archive { $0.file("x", Data("long".utf8), type: "L") }, "followed by no entry"),
      (
        archive {
          $0.pax([("path", "b")], type: "g")
          $0.file("a", Data([1]))
        }, "global"
      ),
      (
        archive {
          $0.pax([("path", String(repeating: "x/", count: 2_049))])
          $0.file("a", Data([1]))
        }, "at most 4096"
      ),
    ]
    for (data, reason) in reasons {
      #expect(try await damage(data)?.contains(reason) == true, "\(reason)")
    }
    let strict = TarLoader(roots: [folder.path], limits: TarLimits(headerBytes: 100 << 10))
    let globals = archive { builder in
      for _ in 0..<200 { builder.pax([("comment", String(repeating: "x", count: 1_000))], type: "g") }
      builder.file("a", Data([1]))
    }
    #expect(try await damage(globals, strict)?.contains("raise the limit") == true)
    #expect(try await load("a", from: globals) == Data([1]))
    // Blocks of holes, each of which announces another.
    var holes = TarBuilder()
    holes.header("x", type: "S")
    var block = [UInt8](holes.data)
    block[482] = 1
    TarBuilder.sign(&block[...])
    let hole = Data(count: 504) + [1] + Data(count: 7)
    let chain = (0..<1_000).reduce(into: Data(block)) { data, _ in data += hole }
    #expect(try await damage(chain)?.contains("cut off") == true)
    #expect(try await damage(chain, strict)?.contains("raise the limit") == true)
  }

  @Test func linksAndDevices() async throws {
    let kinds: [(Character, String)] = [
      ("1", "hard link"), ("2", "symbolic link"), ("3", "device"), ("4", "device"), ("5", "folder"),
      ("6", "FIFO"),
      ("S", "sparse"), ("V", "unknown"), ("Z", "unknown"), ("M", "unknown"),
    ]
    for (type, kind) in kinds {
      let data = archive {
        $0.header("a", type: type)
        $0.file("b", pattern(3))
      }
      guard case .notRegularFile(_, let found) = try await error(data) else {
        Issue.record("\(type) was not refused")
        continue
      }
      #expect(found.contains(kind))
      #expect(try await load("b", from: data) == pattern(3))
    }
    // Types without contents have none, whatever they claim.
    for type in ["2", "3", "4", "5", "6"] as [Character] {
      let data = archive {
        $0.header("x", size: .octal(5_000), type: type)
        $0.file("a", pattern(3))
      }
      #expect(try await load("a", from: data) == pattern(3))
    }
    let hard = archive {
      $0.header("x", size: .octal(512), type: "1")
      $0.file("a", pattern(3))
    }
    #expect(try await damage(hard)?.contains("hard link") == true)
  }

  @Test func names() async throws {
    let data = archive {
      $0.file("../a", Data([1]))
      $0.file("b/../../a", Data([2]))
      $0.file("/", Data())
      $0.file("", Data([3]))
      $0.file("/c", Data([4]))
      $0.file("./././d", Data([5]))
      $0.header("e", size: .octal(1), prefix: "far/away")
      $0.contents(Data([6]))
      $0.file("f", Data([7]))
      $0.file("f", Data([8]))
      $0.file("g/", Data())
    }
    #expect(try await error(data)?.code == "fileNotFound")
    for (name, byte) in [("c", 4), ("/c", 4), ("d", 5), ("far/away/e", 6), ("f", 8)] {
      #expect(try await load(name, from: data) == Data([UInt8(byte)]), "\(name)")
    }
    let full = String(repeating: "n", count: 100)
    let longest = archive {
      $0.header(full, size: .octal(1), prefix: String(repeating: "p", count: 155))
      $0.contents(Data([9]))
    }
    #expect(try await load(String(repeating: "p", count: 155) + "/" + full, from: longest) == Data([9]))
  }

  /// What comes behind the end mark is not looked at.
  @Test func afterTheEnd() async throws {
    let data = archive { $0.file("b", Data([1])) } + archive { $0.file("a", Data([2])) } + pattern(5_000)
    #expect(try await error(data)?.code == "fileNotFound")
    #expect(try await load("b", from: data) == Data([1]))
  }

  /// No change of a single byte of a header, its checksum put right again, may do more than lose entries or be refused.
  @Test func anyByteOfHeaders() async throws {
    let good = archive {
      $0.pax([("path", "a"), ("size", "600")])
      $0.file("x", pattern(600))
      $0.file("b", pattern(3))
    }
    var codes: Set<String> = []
    let seeds = [UInt8](pattern(4_096))
    // Names, sizes, types, magic, prefixes, holes.
    let fields = [0..<4, 120..<148, 156..<160, 255..<266, 343..<348, 480..<484].flatMap { $0 }
    for offset in fields + Array(512..<545) + fields.map({ $0 + 1_024 }) {
      for value in [seeds[offset], 0, 0xFF, UInt8(ascii: "7"), UInt8(ascii: "x")] {
        var bad = [UInt8](good)
        bad[offset] = value
        for start in [0, 1_024] { TarBuilder.sign(&bad[start..<start + 512]) }
        codes.insert(try await error(Data(bad))?.code ?? "none")
      }
    }
    let usual: Set = ["none", "protocolError", "fileNotFound", "notRegularFile"]
    #expect(codes.isSubset(of: usual.union(["emptyBody"])))
    #expect(codes.isSuperset(of: usual))
  }

  @Test func cancelledWhileItIndexes() async throws {
    let data = archive { builder in for number in 0..<100 { builder.file("\(number)", Data([1])) } }
    let url = try TarLoader.url(of: "a", in: save(data))
    let file = try TarFile(TarURL(url), roots: [folder.path])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try TarScanner.index(of: file, limits: TarLimits())["1".utf8.map { $0 }]
    }
    #expect(await wasCancelled(task))
    #expect(try TarScanner.index(of: file, limits: TarLimits())["99".utf8.map { $0 }]?.size == 1)
  }
}
