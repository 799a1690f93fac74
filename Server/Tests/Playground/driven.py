#!/usr/bin/env python3
"""driven.py PROGRAM [FOLDER]: the playground in a browser, as people use it; pictures of the page go to FOLDER.

Without Chromium, it says so and succeeds; CALOTYPE_CHROMIUM names another browser. With CALOTYPE_NEEDS_CHROMIUM, its absence is a failure.
"""
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "Sockets")]
from browser import Browser, find  # noqa: E402
from program import Program  # noqa: E402

PHOTOS = os.path.realpath(os.path.join(HERE, "..", "..", "..", "Examples", "Photos"))
KEY, SALT, SECRET = b"key of the browser".hex(), b"salt of the browser".hex(), "open sesame"
SHOWN = "!document.getElementById('picture').hidden && document.getElementById('stage').ariaBusy === 'false'"

# Text in colours that are too similar (WCAG 2, 4.5:1), and fields without a name.
CONTRAST = """(() => {
  const light = (c) => { const v = c.map((x) => { x /= 255; return x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    if (e.closest('.sr, .skip, noscript, option')) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(ground(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) bad.push(`${e.tagName} ${e.id} ${e.textContent.slice(0, 20)} ${((a + .05) / (b + .05)).toFixed(2)}`);
  }
  for (const e of document.querySelectorAll('input, select, button')) {
    if (!e.checkVisibility()) continue;
    const name = e.labels?.[0]?.textContent || e.textContent.trim() || e.getAttribute('aria-label') || e.querySelector('img')?.alt;
    if (!name?.trim()) bad.push(`no name: ${e.outerHTML.slice(0, 80)}`);
  }
  return bad;
})()"""


def same(what, found, expected):
    assert found == expected, f"{what} is {found!r}, not {expected!r}"


def text(browser, name):
    return browser.run(f"document.getElementById('{name}').textContent")


def check_accessibility(browser):
    bad = browser.run(CONTRAST)
    assert not bad, bad
    wide = browser.run("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"the page is {wide} pixels too wide"


def work(browser, program, save):
    browser.open(f"http://127.0.0.1:{program.port}/playground")
    browser.wait("!document.getElementById('access').hidden")
    save("locked")
    check_accessibility(browser)

    # The secret.
    browser.type("#token", "wrong")
    browser.press("Enter")
    browser.wait("document.getElementById('server').textContent.includes('another')")
    browser.type("#token", SECRET)
    browser.press("Enter")
    browser.wait("document.getElementById('access').hidden")
    browser.wait("document.querySelectorAll('[data-option]').length > 40")

    # A picture.
    browser.type("#source", "local:///dandelion.jpg")
    browser.wait(SHOWN)
    browser.type("#option-width", "320")
    browser.type("#option-height", "200")
    browser.run("(() => { const e = document.getElementById('option-resizing_type'); e.value = 'fill';"
                " e.dispatchEvent(new Event('input', { bubbles: true })); })()")
    browser.wait("document.getElementById('fact-size').textContent === '320 × 200' && " + SHOWN)
    url = text(browser, "text-url")
    assert re.search(r"/rt:fill/w:320/h:200/exp:\d{10}/plain/local%3A%2F%2F%2Fdandelion\.jpg$", url), url
    assert "curl -o picture.jpeg" in text(browser, "text-curl"), text(browser, "text-curl")
    srcset = text(browser, "text-srcset")
    same("pictures in the srcset", len(re.findall(r" (\d+)w", srcset)), 6)
    assert "w:640/h:400" in srcset, srcset
    assert "kB" in text(browser, "fact-bytes") and "ms" in text(browser, "fact-time")
    browser.wait("document.querySelectorAll('#timing li').length >= 3")

    # A focus point, by pointer and by keyboard.
    browser.wait("!document.getElementById('focus').hidden")
    browser.click("#preview-image", 0.25, 0.5)
    browser.wait("document.getElementById('option-gravity').value.startsWith('fp:0.2')")
    browser.press("ArrowRight")
    browser.wait("/^fp:0\\.(26|27|28)/.test(document.getElementById('option-gravity').value)")
    browser.wait("document.getElementById('text-url').textContent.includes('/g:fp:0.2') && " + SHOWN)

    # Formats, fields and facts.
    browser.click("#formats summary")
    browser.wait("[...document.querySelectorAll('#cards li')].length === 4 &&"
                 " ![...document.querySelectorAll('#cards span')].some((e) => e.textContent === '…')", 60)
    cards = browser.run("[...document.querySelectorAll('#cards span')].map((e) => e.textContent)")
    assert all("kB" in card or "not written" in card for card in cards), cards
    browser.click("#info summary")
    browser.wait("document.getElementById('text-info').textContent.includes('dominant_colors')")
    assert browser.run("document.querySelectorAll('#fields tr').length") > 5
    save("wide")
    check_accessibility(browser)

    # Copies.
    browser.run("window.copied = null; Object.defineProperty(navigator, 'clipboard',"
                " { value: { writeText: async (text) => { window.copied = text; } } })")
    browser.click("[data-copies=text-curl]")
    browser.wait("window.copied === document.getElementById('text-curl').textContent")

    # Mistakes.
    browser.run("document.getElementById('more').open = true")
    browser.type("#filter", "blur a")
    browser.wait("[...document.getElementById('all').children].filter((e) => !e.hidden).length === 1")
    browser.type("#option-blur_areas", "nonsense")
    browser.wait("!document.getElementById('failure').hidden")
    assert "blur_areas" in text(browser, "failure") or "ba" in text(browser, "failure"), text(browser, "failure")
    save("mistake")
    browser.click("#reset")
    browser.wait("document.getElementById('failure').hidden && " + SHOWN)
    same("options", browser.run("[...document.querySelectorAll('[data-option]')].filter((e) => e.value).length"), 0)
    browser.type("#source", "local:///none.jpg")
    browser.wait("!document.getElementById('failure').hidden")
    browser.type("#source", "local:///stream.jpg")
    browser.wait("document.getElementById('failure').hidden && " + SHOWN)

    # A phone.
    browser.resize(360, 740)
    save("narrow")
    check_accessibility(browser)
    # The address of the page restores it.
    address = browser.run("location.hash")
    assert "stream.jpg" in address and SECRET.replace(" ", "+") not in address, address


def drive(path, program, dark, pictures):
    browser = Browser(path, dark=dark)

    def save(name):
        if pictures:
            browser.picture(f"{pictures}/{name}{'-dark' if dark else ''}.png")
    try:
        work(browser, program, save)
        # Statuses that the page asks for are logged, too; nothing else may be.
        others = [text for text in browser.complaints if "Failed to load resource" not in text]
        assert not others, others
        own = (f"http://127.0.0.1:{program.port}/", f"blob:http://127.0.0.1:{program.port}/", "data:,", "about:")
        foreign = [url for url in browser.requests if not url.startswith(own)]
        assert not foreign, foreign
    except BaseException:
        save("failed")
        raise
    finally:
        browser.close()
    print(f"the playground works{', dark' if dark else ''} ({len(browser.requests)} requests)", flush=True)


def main():
    path = find()
    if path is None:
        print("the playground was not driven: there is no Chromium; install chromium-headless-shell, or set CALOTYPE_CHROMIUM")
        sys.exit(1 if os.environ.get("CALOTYPE_NEEDS_CHROMIUM") else 0)
    pictures = sys.argv[2] if len(sys.argv) > 2 else None
    for dark in (False, True):
        # A server of its own: results in its cache have no times of stages.
        with tempfile.TemporaryDirectory() as folder:
            program = Program(
                os.path.realpath(sys.argv[1]), folder + "/log", "--playground", "--local-filesystem-root", PHOTOS,
                "--enable-debug-headers",
                environment={"CALOTYPE_KEY": KEY, "CALOTYPE_SALT": SALT, "CALOTYPE_SECRET": SECRET})
            try:
                drive(path, program, dark, pictures)
            finally:
                program.kill()


main()
