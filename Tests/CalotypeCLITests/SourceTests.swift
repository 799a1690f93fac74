import ArgumentParser
import CalotypeTestKit
import Testing

@testable import CalotypeCLI

@Suite("Sources on the command line", .timeLimit(.minutes(1)))
struct SourceTests {
  private func urls(_ count: Int) -> [String] { (0..<count).map { "http://h/\($0).jpg" } }

  @Test("long runs of sources become one argument, and nothing else does")
  func runs() {
    let many = urls(100)
    #expect(ConsecutiveSources.joined([]) == [])
    #expect(ConsecutiveSources.joined(["get", "a", "-o", "x"]) == ["get", "a", "-o", "x"])
    #expect(ConsecutiveSources.joined(urls(63)) == urls(63))
    #expect(
      ConsecutiveSources.joined(["get"] + many + ["--json", "-o", "out"])
        == ["get", many[0], many[1...].joined(separator: "\0"), "--json", "-o", "out"])
    // The first of a run may be the value of an option.
    let joined = ConsecutiveSources.joined(["get", "--fallback", "f"] + many + ["", "-", "--"] + many)
    #expect(joined.prefix(4) == ["get", "--fallback", "f", many[0]])
    #expect(joined.suffix(3) == [many[0], many[1], many[2...].joined(separator: "\0")])
    #expect(joined.dropFirst(5).prefix(3) == ["", "-", "--"])
  }

  /// As many as a kernel lets a program have; each was once copied for every one that follows.
  @Test("very many sources are parsed in linear time")
  func parsing() throws {
    let many = urls(100_000)
    let command = try GetCommand.parse(ConsecutiveSources.joined(["-o", "out"] + many + ["--json"]))
    #expect(command.runs.flatMap(\.sources).map(\.text) == many)
    #expect(command.output == "out" && command.json)
    #expect(throws: (any Error).self) { try GetCommand.parse(["a\0\0b"]) }
  }

  @Test("names that are equal are told apart, in linear time")
  func stems() throws {
    let sources = try ["a/x.jpg", "b/x.png", "x-2.gif", "x", "c/x.jpg"].map {
      try #require(Source(argument: $0))
    }
    #expect(Source.uniqueStems(sources) == ["x", "x-2", "x-2-2", "x-3", "x-4"])
    let equal = try (0..<100_000).map { try #require(Source(argument: "http://h/p.jpg?i=\($0)")) }
    let stems = Source.uniqueStems(equal)
    #expect(Set(stems).count == stems.count && stems.last == "p-100000")
  }
}
