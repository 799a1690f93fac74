import os, sys, time
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "Snippets"))
import documents, swift_code
build = os.path.abspath(sys.argv[1]); server=os.path.abspath(sys.argv[2])
s, spans = documents.everything()
sw = [x for x in s if x.language == "swift" and not x.reason and not any(swift_code.PACKAGE.match(l) for l in x.lines)]
print(len(sw), len(s), len(spans))
t=time.time()
f = swift_code.check(sw, build, server)
for d,l,m in sorted(f): print(f"{d}:{l}: {m}")
print(len(f), time.time()-t)
