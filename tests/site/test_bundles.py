"""Bundles of style sheets and scripts."""

import pytest

from euchre_site.static_files.bundles import bundle_scripts, bundle_sheets, minify_script


def test_style_sheets_replace_their_imports() -> None:
    files = {
        "bundles/all.css": '@import "../css/a.css";\n@import "../css/b.css";\np{margin:0}',
        "css/a.css": "a{margin:1px}",
        "css/b.css": "b{margin:2px}",
    }
    assert bundle_sheets("bundles/all.css", files.__getitem__) == (
        "a{margin:1px}b{margin:2px}p{margin:0}"
    )


def test_scripts_follow_their_imports_once() -> None:
    files = {
        "bundles/all.js": 'import "../js/a-1.js";\nimport "../js/b.js";\n',
        "js/a-1.js": 'import * as c from "./c.js";\nexport async function go() { c.one(); }\n',
        "js/b.js": 'import {\n  one, TWO as two,\n} from "./c.js";\none(two);\n',
        "js/c.js": "export const one = () => 1;\nexport const TWO = 2;\n",
    }
    assert (
        bundle_scripts("bundles/all.js", files.__getitem__)
        == """\
const _js_c = (() => {
const one = () => 1;
const TWO = 2;
return { one, TWO };
})();
const _js_a_1 = (() => {
const c = _js_c;
async function go() { c.one(); }
return { go };
})();
(() => {
const {
  one, TWO: two,
} = _js_c;
one(two);
})();
(() => {
})();
"""
    )


@pytest.mark.parametrize(
    "line",
    ["export let open = 1;", "export default 1;", "export { a };", 'import x from "./y.js";'],
)
def test_unsupported_imports_and_exports_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"js/a\.js cannot be bundled: "):
        bundle_scripts("js/a.js", {"js/a.js": f"const a = 1;\n{line}\n"}.__getitem__)


def test_minifying_keeps_template_literals() -> None:
    text = "// why\nconst a = `x\n  // y ${`z`}\n`;\n\n  go(); // now\n"
    assert minify_script(text) == "const a = `x\n  // y ${`z`}\n`;\ngo();\n"


@pytest.mark.parametrize(
    "line", ['say("a; // b");', "const a = [`x; // y`];", 'go("//x"); // "so"']
)
def test_what_may_be_a_string_is_no_comment(line: str) -> None:
    assert minify_script(line) == f"{line}\n"
