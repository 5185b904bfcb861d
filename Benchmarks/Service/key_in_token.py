"""How fast a key in a token signs, beside the same key in a file: SoftHSM through the service's own code.

usage: key_in_token.py SERVICE_BENCHMARK [ROUNDS]

SERVICE_BENCHMARK is the built program of Benchmarks/. Prints the rates a second of one thread, the median of the rounds, and their ratio.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MODULE = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "4711"


def prepare(folder: Path) -> None:
    """A key in a file, and the same key in a token."""
    file = folder / "keys" / "SubscriptionKey_BENCH00001.p8"
    file.parent.mkdir()
    (folder / "tokens").mkdir()
    (folder / "softhsm2.conf").write_text(f"directories.tokendir = {folder}/tokens\n")
    os.environ["SOFTHSM2_CONF"] = str(folder / "softhsm2.conf")
    for command in (
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", file],
        ["softhsm2-util", "--init-token", "--free", "--label", "bench", "--so-pin", PIN, "--pin", PIN],
        ["softhsm2-util", "--import", file, "--token", "bench", "--label", "signing", "--id", "01", "--pin", PIN],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    file.chmod(0o600)


def rates(program: str, folder: Path, *token: str) -> dict[str, float]:
    output = subprocess.run(
        [program, "sign", folder, *token], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: 1e6 / float(median) for name, median in re.findall(r"^(.+)\t.*?median ([\d.]+) µs", output, re.MULTILINE)}


def main() -> int:
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        token = ("pkcs11:token=bench;object=signing", MODULE, PIN)
        # In turn, so that what else the machine does meets both.
        pairs = [(rates(program, folder), rates(program, folder, *token)) for _ in range(rounds)]
    for kind in pairs[0][0]:
        file, token = (statistics.median(pair[side][kind] for pair in pairs) for side in (0, 1))
        ratio = statistics.median(pair[1][kind] / pair[0][kind] for pair in pairs)
        print(f"{kind}: {file:,.0f} a second from a file, {token:,.0f} in SoftHSM, ratio {ratio:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
