import Testing

@testable import CalotypeSettings

/// No input traps, and faults are bounded.
@Suite struct HostileTests {
  /// Numbers that are the same in every run.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }

  private static let pieces: [String] = [
    "[", "]", "{", "}", "=", ",", ".", "#", "\"", "'", "\"\"\"", "'''", "\\", "\\u", "\\U0010FFFF", "\n",
    "\r\n", " ", "\t",
    "a", "key", "formats", "quality", "security.key", "1", "-1", "0x", "0xff", "1e9", "2026-01-31",
    "12:00:00Z", "true",
    "inf", "export ", "A", "$A", "${A}", "$", "${", ":", "\u{0}", "é", "😀", "\u{FEFF}", "CALOTYPE_QUALITY",
    "[[", "\\\n",
  ]

  private func bytes(_ generator: inout Generator) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...40, using: &generator) {
      if Int.random(in: 0..<20, using: &generator) == 0 {
        bytes.append(UInt8.random(in: .min ... .max, using: &generator))
      } else {
        bytes += Array((Self.pieces.randomElement(using: &generator) ?? "").utf8)
      }
    }
    return bytes
  }

  @Test func randomFilesNeverTrap() {
    var generator = Generator(state: 1)
    var accepted = 0
    for _ in 0..<10_000 {
      let input = bytes(&generator)
      let lines = input.count { $0 == 0x0A } + 1
      let toml = TOMLFile(input)
      #expect(
        toml.faults.allSatisfy { (1...lines).contains($0.line) }
          && toml.faults.count <= TOMLFile.maxFaults + 1)
      #expect(toml.entries.allSatisfy { (1...lines).contains($0.line) })
      let env = EnvFile(input, environment: ["A": "x"])
      #expect(env.faults.allSatisfy { (1...lines).contains($0.line) })
      if !toml.entries.isEmpty || !env.entries.isEmpty { accepted += 1 }
    }
    // Otherwise the inputs are too wild to reach anything.
    #expect(accepted > 500)
  }

  @Test func randomMutationsOfSamplesNeverTrap() {
    var generator = Generator(state: 2)
    let toml = Array(SettingsSample.toml().utf8.prefix(3000))
    for _ in 0..<500 {
      var input = toml.filter { $0 != UInt8(ascii: "#") }
      for _ in 0..<5 {
        let index = Int.random(in: 0..<input.count, using: &generator)
        input[index] = Array((Self.pieces.randomElement(using: &generator) ?? "x").utf8).first ?? 0
      }
      let files = MemoryFiles(["/c": String(decoding: input, as: UTF8.self)])
      _ = try? SettingsLoader.load(SettingsInputs(arguments: ["--config=/c"], files: files))
    }
  }

  @Test func randomValuesNeverTrap() {
    var generator = Generator(state: 3)
    let texts = [
      "", "-", "+", "0", "-0", "1", "9223372036854775807", "-9223372036854775808", "1e308", "0x", ",", ";",
      "=", "a=", "=b",
      "a=1", ":", "::", "[", "[]:1", "/", "10.0.0.0/", "data:", "http://", "\\;", "é", "😀=1", "1TiB",
      "99999999TiB", "1d",
      "100000000000d", "jpg", "jpg=-1", "00", "0", "2026-01-31T12:00:00+99:99", "9999-99-99T99:99:99Z",
    ]
    for row in SettingTable.rows {
      for _ in 0..<40 {
        let text = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
          texts.randomElement(using: &generator) ?? ""
        }.joined()
        let input: SettingInput =
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: .items([text, text])
          case 1: .pairs([SettingPair(text, text)])
          default: .text(text)
          }
        let reader = SettingReader(settings: Settings()) { _ throws(SettingFault) in .none }
        guard let value = try? reader.read(input, row.kind) else { continue }
        var settings = Settings()
        #expect(row.binding.write(&settings, value), "\(row.name) accepts \(text) and cannot keep it")
        _ = row.text(in: settings)
      }
    }
  }

  @Test func longValuesAreRefused() {
    let reader = SettingReader(settings: Settings()) { _ throws(SettingFault) in .none }
    let many = SettingInput.text(String(repeating: "a,", count: SettingReader.maxItems + 1))
    #expect(throws: SettingFault.self) { try reader.read(many, .list(.comma, .text)) }
    let long = SettingInput.text(String(repeating: "a", count: SettingReader.maxBytes + 1))
    #expect(throws: SettingFault.self) { try reader.read(long, .text) }
  }
}
