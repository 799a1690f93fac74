import Glibc
import Testing

@testable import CalotypeSettings

/// Secrets come from files and variables, and are never seen.
@Suite struct SecretTests {
  static let rows = SettingTable.rows.filter(\.isSecret).map(\.name)

  @Test(arguments: rows) func secretsAreNoOptions(name: String) throws {
    let row = try #require(SettingTable.row(name))
    let option = "--" + Setting.dashed(row.name)
    for arguments in [["\(option)=word-in-confidence"], [option, "word-in-confidence"]] {
      let problems = failure([:], arguments)
      #expect(problems.of(.secretFlag).map(\.place) == [.flag(option)])
      #expect(problems.filter { $0.severity == .error }.count == 1)
      #expect(problems.allSatisfy { !"\($0)".contains("confidence") })
    }
  }

  @Test(arguments: rows) func secretsAreInNoText(name: String) throws {
    let row = try #require(SettingTable.row(name))
    let text: String
    let marker: String
    switch row.kind {
    case .hexadecimal: (text, marker) = (RowSample.key, "0123456789abcdef")
    case .pairs, .headers: (text, marker) = ("confidential=confidential:confidential", "confidential")
    default: (text, marker) = ("confidential", "confidential")
    }
    let loaded = try SettingsLoader.load(
      SettingsInputs(
        environment: RowSample.environment(row).merging([row.variable: text]) { $1 }, files: RowSample.files))
    let report = SettingsReport(loaded)
    var dumped = ""
    dump(loaded, to: &dumped)
    for rendered in [
      report.text(), report.json(), "\(loaded)", String(reflecting: loaded), dumped,
      row.text(in: loaded.settings),
      "\(loaded.settings)", loaded.problems.map(\.description).joined(),
    ] {
      #expect(!rendered.lowercased().contains(marker), "\(row.name)")
      // The bytes of keys as numbers.
      #expect(!rendered.contains("1, 35, 69, 103"), "\(row.name)")
    }
    #expect(report.text().contains("••••"))
  }

  @Test func filesThatOthersChangeAreRefused() throws {
    func files(_ mode: UInt32) -> MemoryFiles {
      MemoryFiles(
        ["/k": RowSample.key, "/c.toml": "[server]\nsecret = \"word-in-confidence\"\n"], mode: mode)
    }
    for mode: UInt32 in [0o620, 0o602, 0o666, 0o777] {
      #expect(
        failure(["CALOTYPE_SECRET_FILE": "/k"], files: files(mode)).of(.exposedFile).map(\.severity) == [
          .error
        ])
      #expect(
        failure([:], ["--config=/c.toml"], files: files(mode)).of(.exposedFile).map(\.severity) == [.error])
    }
    for mode: UInt32 in [0o644, 0o444, 0o604] {
      let problems = try load(["CALOTYPE_SECRET_FILE": "/k"], files: files(mode)).problems
      #expect(problems.of(.exposedFile).map(\.severity) == [.warning])
    }
    for mode: UInt32 in [0o600, 0o400, 0o440] {
      #expect(try load(["CALOTYPE_SECRET_FILE": "/k"], files: files(mode)).problems.of(.exposedFile).isEmpty)
      #expect(try load([:], ["--config=/c.toml"], files: files(mode)).problems.of(.exposedFile).isEmpty)
    }
    // Files without secrets may be anybody's.
    let open = MemoryFiles(["/c.toml": "[formats]\nquality = 3\n"], mode: 0o666)
    #expect(try load([:], ["--config=/c.toml"], files: open).problems.of(.exposedFile).isEmpty)
  }

  @Test func filesAreTrimmedAndMayHaveAnItemALine() throws {
    let files = MemoryFiles(["/one": " a b \n", "/two": "one\ntwo\n", "/three": "one,two", "/none": "\n"])
    func secrets(_ path: String) throws -> [String] {
      try load(["IMGPROXY_SECRET_FILE": path], files: files).settings.server.secrets.map(\.exposed)
    }
    #expect(
      try load(["CALOTYPE_S3_SECRET_ACCESS_KEY_FILE": "/one"], files: files).settings.sources.s3
        .secretAccessKey
        .exposed == "a b")
    #expect(try secrets("/one") == ["a b"])
    #expect(try secrets("/two") == ["one", "two"])
    #expect(try secrets("/three") == ["one", "two"])
    #expect(failure(["IMGPROXY_SECRET_FILE": "/none"], files: files).of(.malformedFile).count == 1)
    #expect(
      failure(["CALOTYPE_SECRET": "x", "CALOTYPE_SECRET_FILE": "/one"], files: files).of(.conflict).count == 1
    )
    #expect(
      failure(
        ["CALOTYPE_SECRET_FILE": "/long"],
        files: MemoryFiles(["/long": String(repeating: "x", count: 65_537)])
      )
      .of(.unreadableFile).count == 1)
  }

  @Test func systemFilesAreRegularAndBounded() throws {
    let folder = "/tmp/calotype-settings-\(getpid())"
    mkdir(folder, 0o700)
    defer {
      unlink("\(folder)/file")
      unlink("\(folder)/pipe")
      rmdir(folder)
    }
    let path = "\(folder)/file"
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    #expect(write(descriptor, "secret", 6) == 6)
    close(descriptor)
    chmod(path, 0o640)
    let files = SystemFiles()
    #expect(try files.read(path, limit: 6) == SettingsFile(bytes: Array("secret".utf8), mode: 0o640))
    #expect(throws: FileReadingError.tooLong(limit: 5)) { try files.read(path, limit: 5) }
    #expect(throws: FileReadingError.system(errno: ENOENT)) { try files.read(path + "x", limit: 5) }
    #expect(throws: FileReadingError.notRegular) { try files.read(folder, limit: 5) }
    // A pipe does not block.
    mkfifo("\(folder)/pipe", 0o600)
    #expect(throws: FileReadingError.notRegular) { try files.read("\(folder)/pipe", limit: 5) }
  }

  /// Libraries log descriptions of services, which hold the inputs.
  @Test func inputsAreNotDescribed() {
    struct Holder { let inputs: SettingsInputs }
    let inputs = SettingsInputs(
      environment: ["CALOTYPE_KEY": "6b65794b"], arguments: ["--secret", "6b65794b"])
    var dumped = ""
    dump(inputs, to: &dumped)
    for text in ["\(inputs)", String(reflecting: inputs), "\(Holder(inputs: inputs))", dumped] {
      #expect(!text.contains("6b65794b"), "\(text)")
    }
  }
}
