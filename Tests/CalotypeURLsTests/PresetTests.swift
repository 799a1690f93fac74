import CalotypeURLs
import Testing

@Suite("Presets of URLs")
struct PresetTests {
  static func dialect(
    _ definitions: String..., change: (inout ImgproxyDialect.Configuration) -> Void = { _ in }
  ) throws -> ImgproxyDialect {
    try .with {
      $0.presets = try PresetTable(definitions)
      change(&$0)
    }
  }

  @Test func arePutInTheirPlaces() throws {
    let dialect = try Self.dialect("default=rt:fill/bl:0.2/q:50", "sharp=sh:0.7/q:60", " named = w:5 ")
    #expect(try dialect.canonical("q:70") == "rt:fill/bl:0.2/q:70")
    #expect(try dialect.canonical("pr:sharp:named/q:70") == "rs:fill:5/bl:0.2/sh:0.7/q:70")
    #expect(try dialect.canonical("q:70/preset:sharp") == "rt:fill/bl:0.2/sh:0.7/q:60")
    let request = try dialect.parse(path: "pr:named/plain/a")
    #expect(request.presets == ["default", "named"])
  }

  @Test func mergeChainsStageByStage() throws {
    let dialect = try Self.dialect("test=width:300/height:300/-/width:200/height:200/-/width:100/height:200")
    #expect(
      try dialect.canonical("width:400/-/preset:test/width:500/-/width:600")
        == "w:400/-/s:500:300/-/s:600:200/-/s:100:200")
    #expect(try dialect.canonical("pr:test/q:5") == "s:300:300/q:5/-/s:200:200/-/s:100:200")
  }

  @Test func aloneAreTheOnlyOptions() throws {
    let dialect = try Self.dialect("test1=blur:0.2", "test2=quality:50") { $0.onlyPresets = true }
    let request = try dialect.parse(path: "test1:test2/aHR0cDovL2EvYg.png")
    #expect(request.options.blur == 0.2 && request.options.quality == 50 && request.options.format == .png)
    #expect(dialect.fault(path: "w:1/plain/a") == .unknownPreset)
    #expect(dialect.fault(path: "test1") == .emptySource)
    #expect(dialect.fault(path: "fit/plain/a") == .unknownPreset)
    var options = ProcessingOptions()
    options.format = .gif
    #expect(
      try dialect.path(for: "http://a/b", options, presets: ["test1", "test2"], encoding: .plain)
        == "/test1:test2/plain/http://a/b@gif")
    options.width = 1
    #expect(fault { _ = try dialect.path(for: "a", options, presets: ["test1"]) } == .unwritable)
    #expect(fault { _ = try dialect.path(for: "a") } == .unwritable)
  }

  @Test func areWrittenBeforeTheOptions() throws {
    let dialect = try Self.dialect("a=w:1/h:2", "b=q:3")
    var options = ProcessingOptions()
    options.width = 5
    let path = try dialect.path(for: "x", options, presets: ["a", "b"], encoding: .plain)
    #expect(path == "/pr:a:b/w:5/plain/x")
    #expect(try dialect.parse(path: path).options.height == 2)
    for name in ["", "a:b", "a/b", "a?", "é", " "] {
      #expect(fault { _ = try dialect.path(for: "x", presets: [name]) } == .unwritable)
    }
  }

  @Test(arguments: [
    ("resize:fit:100:200/sharpen:2", ImageURLError.Fault.invalidPreset), ("=w:1", .invalidPreset),
    (" = w:1", .invalidPreset),
    ("test=", .invalidPreset), ("test= ", .invalidPreset), ("test=w:1/blur", .invalidPreset),
    ("a=wmt:Zm9v=", .invalidPreset),
    ("test=w:1//h:1", .invalidPreset), ("test=w:1/", .invalidPreset),
    ("test=resize:fit:-1:-2/sharpen:2", .invalidArgument),
    ("test=unknown:1", .unknownOption), ("test=pr:missing", .unknownPreset), ("test=msr:5", .securityOption),
    ("a=cb:\u{0}", .invalidPreset),
    ("test=-/-/-/-/-/-/-/-/w:1", .tooManyStages),
  ])
  func brokenDefinitionsAreRefusedWithTheirLine(_ definition: String, _ expected: ImageURLError.Fault) throws
  {
    let error = try #require(throws: ImageURLError.self) {
      _ = try Self.dialect("fine=w:1", "# comment", definition)
    }
    #expect(error.fault == expected && error.place?.line == 3)
  }

  @Test func emptyLinesAndCommentsAreSkipped() throws {
    let table = try PresetTable(lines: "\r\n  \n#  test=resize:fit:100:200\n  # x\na=w:1\r\n\tb=h:1\n")
    #expect(table.names == ["a", "b"])
    let merged = table.merging(try PresetTable(["b=h:2", "c=w:3"]))
    #expect(merged.names == ["a", "b", "c"])
    #expect(try ImgproxyDialect.with { $0.presets = merged }.options("pr:b").height == 2)
  }

  @Test func recursionIsSkippedAndNoticed() throws {
    let dialect = try Self.dialect("a=w:1/pr:b", "b=h:2/pr:a/q:3")
    let request = try dialect.parse(path: "pr:a/plain/x")
    #expect(request.options.width == 1 && request.options.height == 2 && request.options.quality == 3)
    #expect(request.notices.map(\.kind) == [.recursivePreset] && request.presets == ["a", "b"])
  }

  @Test func nestingIsLimited() throws {
    #expect(throws: Never.self) { _ = try Self.dialect("a=pr:b", "b=pr:c", "c=pr:d", "d=w:1") }
    let error = try #require(throws: ImageURLError.self) {
      _ = try Self.dialect("a=pr:b", "b=pr:c", "c=pr:d", "d=pr:e", "e=w:1")
    }
    #expect(error.fault == .presetsTooDeep)
    let dialect = try Self.dialect("a=w:1")
    #expect(dialect.fault("pr:" + Array(repeating: "a", count: 63).joined(separator: ":")) == nil)
    #expect(dialect.fault("pr:" + Array(repeating: "a", count: 64).joined(separator: ":")) == .tooManyOptions)
  }
}
