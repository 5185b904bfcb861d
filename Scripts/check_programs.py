"""Finds what the compiler got wrong in optimised programs: Scripts/check_programs.py PROGRAM…

A Swift function that can throw leaves its error, or zero, in register r12 (x86-64). If it ends by copying a large value,
LLVM turns that into a jump to `memcpy`, without setting r12 first: where r12 was used for something else, the caller takes
that for an error. If the closure cannot throw, as one of `Mutex.withLock`, the caller then runs code that was meant to be
unreachable. A function is reported if it jumps to such a routine and writes r12 without having saved it. To fix it, do not
end the function with the assignment.

Exit: 0 nothing found, 1 something found, 2 usage, or a program could not be disassembled.
"""

import platform
import re
import subprocess
import sys

JUMP = re.compile(r"\bjmp\b.*<(memcpy|memmove|memset)(@plt)?>")
INSTRUCTION = re.compile(r"\s*[0-9a-f]+:\s+(?P<name>\S+)\s+(?P<operands>[^<]*)")
READ_ONLY = ("cmp", "test", "push")


def loses_error(instructions):
    """Whether the first use of r12 overwrites it, in a function that jumps to a routine of libc."""
    if not any(JUMP.search(line) for line in instructions):
        return False
    for line in instructions:
        match = INSTRUCTION.match(line)
        if not match or "%r12" not in match["operands"]:
            continue
        *sources, target = re.split(r",(?![^(]*\))", match["operands"].strip())
        if match["name"].startswith("xor") and sources == [target]:
            return True
        reads = match["name"].startswith(READ_ONLY) or any("%r12" in source for source in sources)
        return not reads and re.fullmatch(r"%r12[dwb]?", target) is not None
    return False


def functions(program):
    """The name and the instructions of each function."""
    with subprocess.Popen(
            ["objdump", "--disassemble", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True) as process:
        name, instructions = None, []
        for line in process.stdout:
            if match := re.match(r"[0-9a-f]+ <(.*)>:$", line):
                if name:
                    yield name, instructions
                name, instructions = match[1], []
            else:
                instructions.append(line)
        if name:
            yield name, instructions
        if process.wait() != 0:
            print(f"error: `{program}` could not be disassembled", file=sys.stderr)
            sys.exit(2)


def main(programs):
    if not programs or programs[0].startswith("-"):
        print(__doc__)
        return 0 if programs == ["--help"] else 2
    if platform.machine() != "x86_64":
        print(f"not checked: the fault is known on x86_64, and this is {platform.machine()}")
        return 0
    status = 0
    for program in programs:
        count = 0
        for name, instructions in functions(program):
            count += 1
            if loses_error(instructions):
                print(f"error: in `{program}`, `{name}` can return an error that it did not throw", file=sys.stderr)
                status = 1
        print(f"{program}: {count} functions")
    if status:
        print("hint: `swift demangle NAME` shows the function; Scripts/check_programs.py --help says what to change",
              file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
