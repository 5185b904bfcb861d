"""The list of deliberate faults, Scripts/mutations.toml: reads it, inserts the faults into sources, checks that they fit."""

import functools
import pathlib
import re
import subprocess
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "Scripts/mutations.toml"


class WrongList(Exception):
    """The list of faults is wrong, or does not fit the sources. One line for each thing that is wrong."""


class Mutation:
    """One fault: in a file, `original` becomes `mutated` while its switch is on."""

    FORMS = ("expression", "statement", "text")

    def __init__(self, entry):
        known = {"id", "file", "after", "form", "original", "mutated", "breaks", "tests", "survives"}
        self.id = entry.get("id", "?")
        if unknown := set(entry) - known:
            raise WrongList(f"`{self.id}`: unknown members {sorted(unknown)}")
        if missing := {"id", "file", "original", "mutated", "breaks", "tests"} - set(entry):
            raise WrongList(f"`{self.id}`: missing members {sorted(missing)}")
        self.file, self.breaks, self.tests = entry["file"], entry["breaks"], entry["tests"]
        self.original, self.mutated = entry["original"].strip("\n"), entry["mutated"].strip("\n")
        self.after, self.survives = entry.get("after"), entry.get("survives")
        self.form = entry.get("form", "expression")
        if self.form not in self.FORMS:
            raise WrongList(f"`{self.id}`: the form is `{self.form}`, not one of {', '.join(self.FORMS)}")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.id) or not self.tests:
            raise WrongList(f"`{self.id}`: an id is in lower case with hyphens, and names at least one test")

    @property
    def module(self):
        return pathlib.Path(self.file).parts[1]

    @property
    def switch(self):
        return f'Mutant.isOn("{self.id}")'

    def place(self, source):
        """Where the original is: exactly once, or its first occurrence after a text that occurs exactly once."""
        start = 0
        if self.after is not None:
            if (count := source.count(self.after)) != 1:
                raise WrongList(f"`{self.id}`: `after` occurs {count} times in {self.file}")
            start = source.index(self.after) + len(self.after)
        elif (count := source.count(self.original)) != 1:
            raise WrongList(f"`{self.id}`: `original` occurs {count} times in {self.file}")
        if (at := source.find(self.original, start)) < 0:
            raise WrongList(f"`{self.id}`: `original` does not follow `after` in {self.file}")
        return at, at + len(self.original)


def read_list():
    mutations, wrong = [], []
    try:
        entries = tomllib.loads(LIST.read_text())["mutation"]
    except tomllib.TOMLDecodeError as error:
        raise WrongList(f"Scripts/mutations.toml: {error}") from error
    for entry in entries:
        try:
            mutations.append(Mutation(entry))
        except WrongList as error:
            wrong.append(str(error))
    ids = [mutation.id for mutation in mutations]
    wrong += [f"`{id}` is in the list twice" for id in sorted({id for id in ids if ids.count(id) > 1})]
    if wrong:
        raise WrongList("\n".join(wrong))
    return mutations


def switched(group):
    """The replacement of an original that one or more faults change."""
    form, text = group[0].form, group[0].original
    if any(mutation.form != form for mutation in group):
        raise WrongList(f"`{group[0].id}` and another change the same text in different forms")
    for mutation in group:
        if form == "statement":
            text = f"if {mutation.switch} {{\n{mutation.mutated}\n}} else {{\n{text}\n}}"
        elif form == "expression":
            text = f"({mutation.switch} ? ({mutation.mutated}) : ({text}))"
    if form == "text":
        text = quoted(text)
        for mutation in group:
            text = f"{mutation.switch} ? {quoted(mutation.mutated)} : {text}"
        text = f"\\({text})"
    return text


def marked(group):
    """The replacement, but of a part of a text names that can be found in the parsed text."""
    return " ".join(f"text:{mutation.id}" for mutation in group) if group[0].form == "text" else switched(group)


def quoted(text):
    """A text within a string of Swift's, which may hold interpolations, as a string on one line."""
    return '"' + text.replace('"', '\\"').replace("\n", "\\n") + '"'


def mutated_source(source, mutations, replacement=switched):
    groups, wrong = {}, []
    for mutation in mutations:
        try:
            groups.setdefault(mutation.place(source), []).append(mutation)
        except WrongList as error:
            wrong.append(str(error))
    end = len(source)
    for (first, last), group in sorted(groups.items(), reverse=True):
        if last > end:
            wrong.append(f"`{group[0].id}` changes a part of what another changes")
        source, end = source[:first] + replacement(group) + source[last:], first
    if wrong:
        raise WrongList("\n".join(wrong))
    return source


def mutated_sources(mutations, original, replacement=switched):
    """Every file with a fault, with the switches in it. `original` gives the source of a file without them."""
    files, wrong = {}, []
    for file in sorted({mutation.file for mutation in mutations}):
        here = [mutation for mutation in mutations if mutation.file == file]
        try:
            files[file] = mutated_source(original(file), here, replacement)
        except WrongList as error:
            wrong.append(str(error))
    if wrong:
        raise WrongList("\n".join(wrong))
    return files


def check(mutations, original):
    """Checks without building that every fault fits the sources, is valid Swift, and names tests that exist."""
    wrong = unparsed(mutations, mutated_sources(mutations, original))
    if not wrong:
        wrong = misplaced(mutations, mutated_sources(mutations, original, marked))
    if wrong := wrong + unknown_tests(mutations):
        raise WrongList("\n".join(wrong))


def unparsed(mutations, files):
    """What the compiler's parser says of the files, and of each expression alone: `(a, b)` would be a tuple."""
    alone, owners = ["func alone() {"], [""]
    for mutation in mutations:
        for text in [mutation.original, mutation.mutated] if mutation.form == "expression" else []:
            lines = ["_ = {", "_ =", *text.split("\n"), "}"]
            alone += lines
            owners += [mutation.id] * len(lines)
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for number, text in enumerate([*files.values(), "\n".join([*alone, "}"])]):
            path = pathlib.Path(folder) / f"{number}.swift"
            path.write_text(text)
            paths[path.name] = number
        command = ["swiftc", "-frontend", "-parse", "-diagnostic-style", "llvm"]
        said = subprocess.run(
            command + sorted(str(pathlib.Path(folder) / name) for name in paths), capture_output=True, text=True)
    wrong = {}
    for name, line, message in re.findall(r"^.*?(\d+\.swift):(\d+):\d+: error: (.*)$", said.stderr, re.MULTILINE):
        number, line = paths[name], int(line)
        if number == len(files):
            # Of several errors at one place the first says what is wrong.
            id = owners[line - 1]
            wrong.setdefault(id, f"`{id}`: `original` or `mutated` is not an expression: {message}")
        else:
            file, text = list(files.items())[number]
            switches = re.findall(r'Mutant\.isOn\("(.*?)"\)', "\n".join(text.split("\n")[:line]))
            id = switches[-1] if switches else file
            wrong.setdefault(id, f"`{id}`: with its switch {file} is not valid Swift: {message}")
    if said.returncode != 0 and not wrong:
        raise WrongList(f"the sources with their switches do not parse:\n{said.stderr}")
    return list(wrong.values())


def misplaced(mutations, files):
    """What parses, but is listed as code and is in a text, or the reverse: `\\(…)` in code is a key path."""
    with tempfile.NamedTemporaryFile("w", suffix=".swift") as file:
        file.write("\n".join(files.values()))
        file.flush()
        tree = subprocess.run(
            ["swiftc", "-frontend", "-dump-parse", file.name], capture_output=True, text=True, errors="replace").stdout
    wrong = []
    for mutation in mutations:
        mark, place = ("text:{}\\b", "code") if mutation.form == "text" else ('value="{}"', "a text")
        if not re.search(mark.format(mutation.id), tree):
            wrong.append(f"`{mutation.id}`: the form is `{mutation.form}`, but `original` is in {place}")
    return wrong


def unknown_tests(mutations):
    return [
        f"`{mutation.id}`: no test has a name with `{one}`"
        for mutation in mutations for one in mutation.tests
        if not any(re.search(one, name) for name in test_names(re.match(r"\w*", one).group()))]


@functools.cache
def test_names(target):
    """The names that tests of a target may have, `Target.Suite/function`, by what its files declare."""
    names = set()
    for path in (ROOT / "Tests" / target).rglob("*.swift") if target else []:
        text = path.read_text()
        suites = re.findall(r"\b(?:struct|class|enum|actor|extension) (\w+)", text)
        functions = re.findall(r"\bfunc (\w+)", text)
        names |= {f"{target}.{suite}/{function}()" for suite in suites for function in functions}
    return names
