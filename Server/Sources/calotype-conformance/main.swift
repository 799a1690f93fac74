import CalotypeConformance
import FoundationEssentials
import Glibc

// Usage: calotype-conformance FILE.tsv
let arguments = CommandLine.arguments
guard arguments.count == 2 else {
  print("usage: calotype-conformance FILE.tsv")
  exit(2)
}
guard let data = FileManager.default.contents(atPath: arguments[1]) else {
  print("\(arguments[1]) cannot be read")
  exit(1)
}
let report = ConformanceReport(ConformanceVector.vectors(in: String(decoding: data, as: UTF8.self)))
for line in report.lines { print(line) }
print(report.totals)
