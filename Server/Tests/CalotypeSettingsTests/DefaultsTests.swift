import Testing

@testable import CalotypeSettings

/// Defaults are safe; those of imgproxy are taken on demand, each with a note.
@Suite struct DefaultsTests {
  @Test func defaultsAreSafe() {
    let settings = Settings()
    #expect(
      !settings.security.allowsPrivate && !settings.security.allowsLoopback
        && !settings.security.allowsLinkLocal)
    #expect(!settings.security.allowsUnsigned && !settings.security.allowsShortSignatures)
    #expect(settings.concurrency.queueTime > .zero)
    #expect(settings.httpCache.setsETag && !settings.compatibility.passesOriginETag)
    #expect(settings.limits.sourceBytes > 0 && settings.limits.sourcePixels > 0)
    #expect(settings.compatibility == Settings.Compatibility())
    #expect(settings.server.trustedProxies.isEmpty)
  }

  @Test func defaultsOfImgproxyAreNamed() throws {
    let loaded = try load([:], ["--imgproxy-defaults", "--max-src-file-size=1MiB"])
    let settings = loaded.settings
    #expect(settings.security.allowsPrivate)
    #expect(settings.compatibility.acceptsMalleableSignatures && settings.compatibility.answersEveryHead)
    #expect(settings.compatibility.passesOriginETag)
    #expect(settings.concurrency.queueTime == .zero)
    #expect(settings.limits.sourceBytes == 1 << 20, "a setting wins over a default")
    let notes = loaded.problems.of(.imgproxyDefault)
    let differing = SettingTable.rows.filter { $0.imgproxyDefault != nil && $0.name != "MAX_SRC_FILE_SIZE" }
    #expect(notes.count == differing.count)
    for row in differing {
      #expect(notes.contains { $0.rule.hasPrefix(row.name + " is ") }, "\(row.name)")
      #expect(loaded.origins[row.name] == .imgproxy)
    }
    #expect(notes.allSatisfy { $0.severity == .note })
  }

  @Test func theSwitchMayStandAnywhere() throws {
    let files = MemoryFiles(["/c.toml": "[loading]\nimgproxy_defaults = true\n"])
    #expect(try load([:], ["--config=/c.toml"], files: files).settings.security.allowsPrivate)
    #expect(try load(["CALOTYPE_IMGPROXY_DEFAULTS": "1"]).settings.security.allowsPrivate)
    #expect(
      try !load(["CALOTYPE_IMGPROXY_DEFAULTS": "1"], ["--no-imgproxy-defaults"]).settings.security
        .allowsPrivate)
    #expect(failure([:], ["--imgproxy-defaults=perhaps"]).of(.invalidValue).count == 1)
  }

  @Test func migrationIsNoted() throws {
    func names(_ environment: [String: String]) throws -> [String] {
      try load(environment).problems.of(.differentDefault).map(\.rule)
    }
    #expect(try names(["CALOTYPE_QUALITY": "70"]).isEmpty)
    let notes = try names(["IMGPROXY_QUALITY": "70"])
    #expect(notes.contains { $0.hasPrefix("ALLOW_PRIVATE_SOURCE_ADDRESSES is false") })
    #expect(
      try !names(["IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES": "0"]).contains { $0.hasPrefix("ALLOW_PRIVATE") })
  }
}
