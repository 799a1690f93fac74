import Testing

@testable import CalotypeSettings

/// Env files are read as imgproxy reads them.
@Suite struct EnvFileTests {
  private func values(_ text: String, _ environment: [String: String] = [:]) -> [String: String] {
    let file = EnvFile(Array(text.utf8), environment: environment)
    #expect(file.faults.isEmpty)
    return Dictionary(file.entries.map { ($0.name, $0.value) }) { $1 }
  }

  @Test(arguments: [
    ("A=1", "1"), ("  A = 1  ", "1"), ("export A=1", "1"), ("export\tA=1", "1"), ("A: 1", "1"), ("A=", ""),
    ("A=a b # comment", "a b"), ("A=a#b", "a#b"), ("A=# comment", ""), ("A='a # b' # c", "a # b"),
    ("A='$B\\n'", "$B\\n"), (#"A="a\nb\"c\\d\$B""#, "a\nb\"c\\d$B"), ("A=\"a\nb\"", "a\nb"),
    ("A='a\nb\nc'", "a\nb\nc"),
    ("A=1\nA=2", "2"), ("\u{FEFF}A=1", "1"), ("A=1\r\n", "1"), ("A=a=b:c", "a=b:c"),
    ("A=http://x/y", "http://x/y"),
    ("A=\\$B", "$B"), ("A=it's", "it's"),
  ]) func values(text: String, value: String) { #expect(values(text) == ["A": value]) }

  @Test func namesStandForEarlierValues() {
    #expect(
      values("A=1\nB=$A-${A}-$C-${D}-$\nE=\"${A}2\"\nF='$A'", ["C": "3", "A": "other"])
        == ["A": "1", "B": "1-1-3--$", "E": "12", "F": "$A"])
    #expect(values("A=${B", ["B": "x"]) == ["A": "${B"])
  }

  @Test(arguments: [
    ("A=1\nnonsense\nB=2", [2]), ("A='1\nB=2", [1]), ("A=\"1\\\"\n\n", [1]), ("=1", [1]), ("A B=1", [1]),
    ("A='1' 2", [1]), ("A='1'\n\nB=\"2\"x\nC=3\n-=4", [3, 5]),
  ]) func faultsHaveTheirLine(text: String, lines: [Int]) {
    let file = EnvFile(Array(text.utf8))
    #expect(file.faults.map(\.line) == lines)
  }

  @Test func linesAreCountedBehindSeveral() {
    let file = EnvFile(Array("A='1\n2\n3'\n# c\nB=2".utf8))
    #expect(file.entries.map(\.line) == [1, 5])
  }

  @Test func expansionIsBounded() {
    var text = "A0=" + String(repeating: "x", count: 1000) + "\n"
    for index in 1..<40 { text += "A\(index)=$A\(index - 1)$A\(index - 1)\n" }
    let file = EnvFile(Array(text.utf8))
    #expect(!file.faults.isEmpty)
    #expect(file.entries.reduce(0) { $0 + $1.value.utf8.count } <= 3 << 20)
  }

  @Test func sizesAreBounded() {
    let many = EnvFile(Array(String(repeating: "A=1\n", count: 5000).utf8))
    #expect(many.entries.count == EnvFile.maxEntries)
    #expect(many.faults.map(\.line) == [EnvFile.maxEntries + 1])
    #expect(EnvFile(Array(String(repeating: "?\n", count: 5000).utf8)).faults.count == EnvFile.maxFaults)
    #expect(EnvFile([0xFF, 0x41]).faults.count == 1)
  }
}
