#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py VERSION OUT HEADER... - the manual pages of section 3, made of the comments of the public headers

Each header becomes a page, sonde_NAME.3, to which a page of each of its functions refers; libsonde.3 lists the headers.
The folder OUT is made anew.
"""
import os
import re
import shutil
import sys
import textwrap
import time

COLUMNS = 78
DATE = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
API = "SONDE_API "


def quoted(text):
    """Text that groff prints as it is."""
    for plain, escape in (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        text = text.replace(plain, escape)
    return text


def prose(text, functions):
    """Words with their fonts: @argument, `code`, sonde_function()."""
    def word(m):
        if m.group(1):
            return "\\fI" + m.group(1)[1:] + "\\fR"
        if m.group(2):
            return "\\fB" + m.group(2)[1:-1] + "\\fR"
        return "\\fB" + m.group(3) + "\\fR(3)" if m.group(3) in functions else m.group(0)
    return re.sub(r"(@[a-z_0-9]+)|(`[^`]+`)|\b(sonde_[a-z_0-9]+)\(\)", word, quoted(text))


def paragraph(text, functions):
    """Filled text; no line begins with a character that groff takes for a request."""
    lines = textwrap.wrap(prose(" ".join(text.split()), functions), COLUMNS, break_long_words=False,
                          break_on_hyphens=False)
    return "".join(("\\&" if line[0] in ".'" else "") + line + "\n" for line in lines)


def code(lines):
    out = [".PP", ".RS 4", ".nf"]
    for line in textwrap.dedent("\n".join(line.expandtabs(8) for line in lines)).rstrip("\n").split("\n"):
        line = quoted(line.rstrip())
        out.append(("\\&" if line[:1] in (".", "\\") else "") + line)
    return "\n".join(out + [".fi", ".RE"]) + "\n"


def comment_lines(text):
    """The lines of a comment without its stars."""
    text = re.sub(r"^/\*+\s?", "", text.strip())
    text = re.sub(r"\s*\*/$", "", text)
    return [re.sub(r"^\s*\* ?", "", line) for line in text.split("\n")]


def heading(lines):
    """The first line, with what it is continued by, and the others."""
    n = 1
    while n < len(lines) and len(lines[n - 1]) > 90 and re.match("[a-z0-9]", lines[n]):
        n += 1
    return " ".join(lines[:n]), lines[n:]


class Text:
    """What a comment says: paragraphs, arguments, examples."""

    def __init__(self, lines):
        self.blocks = []      # ("text" | "code" | "item", lines)
        empty = True
        for line in lines:
            if not line.strip():
                empty = True
                if self.blocks and self.blocks[-1][0] == "code":
                    self.blocks[-1][1].append("")
                continue
            if line.startswith("\t") and self.blocks and self.blocks[-1][0] == "code":
                self.blocks[-1][1].append(line)
            elif line.startswith("\t") and empty:
                self.blocks.append(("code", [line]))
            elif line.startswith("- ") or line.startswith("@"):
                self.blocks.append(("item", [line]))
            elif self.blocks and not empty and (self.blocks[-1][0] == "text" or line[0] in " \t"):
                self.blocks[-1][1].append(line)
            else:
                self.blocks.append(("text", [line]))
            empty = False

    def page(self, functions):
        out = ""
        for kind, lines in self.blocks:
            if kind == "code":
                out += code(lines)
            elif kind == "text":
                out += ".PP\n" + paragraph(" ".join(lines), functions)
            else:
                text = " ".join(line.strip() for line in lines)
                m = re.match(r"((?:@\w+(?:, )?)+):\s*(.*)", text)
                tag, text = (m.group(1), m.group(2)) if m else ("\\(bu", text.lstrip("- "))
                tag = tag if tag[0] == "\\" else re.sub(r"@(\w+)", r"\\fI\1\\fR", tag)
                out += ".TP" + (" 2" if tag == "\\(bu" else "") + "\n" + tag + "\n" + paragraph(text, functions)
        return out


class Declaration:
    """A piece of a header: its comment, its code, the functions that it declares."""

    def __init__(self, comment, source):
        self.source = source
        self.names = re.findall(r"^SONDE_API[^(]*?\b(sonde_[a-z0-9_]+)\(", source, re.M)
        lines = comment_lines(comment) if comment else []
        first, rest = heading(lines) if lines else ("", [])
        m = re.match(r"(?:struct )?\w+ - (.*)", first)
        if m:
            summary = m.group(1)[0].upper() + m.group(1)[1:]
            lines = [summary if summary.endswith(".") else summary + "."] + rest
        self.text = Text(lines)

    def title(self):
        m = re.search(r"\b(?:struct|enum) (sonde_\w+) \{", self.source)
        return m.group(0)[:-2] if m else None

    def code(self):
        """Without SONDE_API, by which the next lines of a declaration move to the left."""
        lines, moved = [], False
        for line in self.source.split("\n"):
            line = line.expandtabs(8)
            if line.startswith(API):
                line, moved = line[len(API):], True
            elif moved:
                line = re.sub("^ {%d}" % len(API), "", line)
            moved = moved and not line.endswith(";")
            lines.append(line)
        return lines

    def page(self, functions):
        return code(self.code()) + self.text.page(functions)


class Header:
    def __init__(self, path):
        self.file = os.path.basename(path)
        self.name = "sonde_" + self.file[:-2]
        with open(path, encoding="utf-8") as f:
            text = f.read()
        first = re.search(r"/\*\*\n.*?\*/", text, re.S)
        title, lines = heading(comment_lines(first.group(0)))
        self.title, self.text = title.removeprefix(self.file + " - "), Text(lines)
        body = text[first.end():]
        m = re.search(r'extern "C" \{\n#endif\n(.*)#ifdef __cplusplus', body, re.S)
        self.declarations = list(self.parse(m.group(1)))
        self.functions = [name for d in self.declarations for name in d.names]

    @staticmethod
    def parse(body):
        """Groups of lines without an empty line outside of braces and comments."""
        group, depth, inside = [], 0, False
        for line in body.split("\n") + [""]:
            if not line.strip() and depth == 0 and not inside:
                if group:
                    yield from Header.pieces("\n".join(group))
                group = []
                continue
            group.append(line)
            inside = (inside or "/*" in line) and "*/" not in line[line.rfind("/*") + 2 if "/*" in line else 0:]
            depth += line.count("{") - line.count("}")

    @staticmethod
    def pieces(group):
        """A group may have several comments, each with its declarations after it."""
        for m in re.finditer(r"(/\*(?:[^*]|\*(?!/))*\*/\n?)?((?:(?!^/\*).*\n?)*)", group, re.M):
            comment, source = m.group(1), m.group(2).strip("\n")
            if comment and source and not comment.endswith("\n"):
                comment, source = None, comment + source
            if comment or source:
                yield Declaration(comment, source)

    def page(self, version, functions):
        names = [self.name] + [n for n in self.functions if n != self.name]
        out = f'.TH {self.name.upper()} 3 {DATE} "sonde {version}" "libsonde"\n.SH NAME\n'
        out += ",\n".join(names) + " \\- " + quoted(self.title) + "\n"
        out += ".SH LIBRARY\nlibsonde (\\fI\\-lsonde\\fR)\n.SH SYNOPSIS\n.nf\n"
        out += f"\\fB#include <sonde/{self.file}>\\fR\n.fi\n"
        if self.text.blocks:
            out += ".SH DESCRIPTION\n" + self.text.page(functions).removeprefix(".PP\n")
        plain = [d for d in self.declarations if not d.names]
        if plain:
            out += ".SH TYPES\n"
            for d in plain:
                out += f".SS {d.title()}\n" if d.title() else ""
                out += d.page(functions) if d.source else d.text.page(functions)
        out += ".SH FUNCTIONS\n"
        for d in self.declarations:
            if d.names:
                out += ".SS " + ", ".join(n + "()" for n in d.names) + "\n" + d.page(functions)
        out = re.sub(r"(\.S[HS] [^\n]*\n)\.PP\n", r"\1", out)
        return out + ".SH SEE ALSO\n.BR libsonde (3),\n.BR sonde (1)\n"


def overview(version, headers):
    out = f'.TH LIBSONDE 3 {DATE} "sonde {version}" "libsonde"\n.SH NAME\n'
    out += "libsonde \\- read, write, record and analyse Linux performance traces\n.SH SYNOPSIS\n.nf\n"
    out += "\\fB#include <sonde/trace.h>\\fR\n\n"
    out += "\\fBcc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs sonde)\\fR\n.fi\n"
    out += ".SH DESCRIPTION\nThe library behind\n.BR sonde (1).\nEach header has a page of its own:\n"
    for h in headers:
        out += f".TP\n.BR {h.name} (3)\n{paragraph('<sonde/' + h.file + '>: ' + h.title, set())}"
    return out + ".SH SEE ALSO\n.BR sonde (1),\n.BR pkg\\-config (1)\n"


def main(version, out, *paths):
    headers = [Header(path) for path in sorted(paths)]
    functions = {name for h in headers for name in h.functions}
    pages = {"libsonde.3": overview(version, headers)}
    for h in headers:
        pages[h.name + ".3"] = h.page(version, functions)
    for h in headers:
        for name in h.functions:
            if pages.setdefault(name + ".3", f".so man3/{h.name}.3\n") != f".so man3/{h.name}.3\n" and name != h.name:
                sys.exit(f"{name}: there is a header of this name")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    for name, text in pages.items():
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
