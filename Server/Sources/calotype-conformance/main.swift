import CalotypeConformance
import FoundationEssentials
import Glibc

let arguments = CommandLine.arguments
guard (2...3).contains(arguments.count) else {
  print("usage: calotype-conformance FILE.tsv [FOLDER-OF-PICTURES]")
  exit(2)
}
guard let data = FileManager.default.contents(atPath: arguments[1]) else {
  print("\(arguments[1]) cannot be read")
  exit(1)
}
let evaluator = ConformanceEvaluator(pictures: arguments.count > 2 ? arguments[2] : nil)
let vectors = ConformanceVector.vectors(in: String(decoding: data, as: UTF8.self))
let report = ConformanceReport(vectors, evaluator: evaluator)
for line in report.lines { print(line) }
print(report.totals)
