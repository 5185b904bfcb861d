"""The stored form of history facts (PackedForm and RunWriter), as needed to copy customers: renames texts and sequences."""

import functools

VERSION = 3


def varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


class Tokens:
    """The facts of a row or a run in pieces: raw bytes, texts, and the sequences of a run's rows."""

    def __init__(self, facts: bytes, are_runs: bool):
        if facts[0] != VERSION:
            raise SystemExit(f"error: facts of version {facts[0]}, not of {VERSION}")
        self.facts, self.place, self.pieces = facts, 1, [facts[:1]]
        if not are_runs:
            self.row(has_sequence=False)
            return
        while self.place < len(facts):
            count = self.number()
            self.pieces.append(varint(count))
            for _ in range(count):
                self.row(has_sequence=True)

    def number(self) -> int:
        found, shift = 0, 0
        while True:
            byte = self.facts[self.place]
            self.place += 1
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return found

    def row(self, has_sequence: bool) -> None:
        changed = self.number()
        self.pieces.append(varint(changed))
        for field in range(changed.bit_length()):
            if not changed >> field & 1:
                continue
            header = self.number()
            if header & 1:
                end = self.place + (header >> 1)
                self.pieces.append(self.facts[self.place:end].decode())
                self.place = end
            elif has_sequence and field == 0:
                self.pieces.append(((header >> 1) - 1) // 2)
            else:
                self.pieces.append(varint(header))


class Stencil:
    """Facts to copy many times: the pieces that differ between copies, and the shared bytes between them."""

    def __init__(self, facts: bytes, are_runs: bool, differs):
        """`differs` tells whether a text differs between copies; the sequences of a run always do."""
        self.pieces: list = [b""]
        for piece in Tokens(facts, are_runs).pieces:
            if isinstance(piece, str) and not differs(piece):
                piece = text(piece)
            if isinstance(piece, bytes) and isinstance(self.pieces[-1], bytes):
                self.pieces[-1] += piece
            else:
                self.pieces.append(piece)

    def copy(self, texts, sequences=None) -> bytes:
        """The facts with each differing text and each sequence replaced by the results of these functions."""
        return b"".join(
            [piece if piece.__class__ is bytes
             else text(texts(piece)) if piece.__class__ is str
             else varint((sequences(piece) * 2 + 1) << 1)
             for piece in self.pieces])


def text(words: str) -> bytes:
    written = words.encode()
    return varint(len(written) << 1 | 1) + written


@functools.lru_cache(maxsize=4096)
def whole_stencil(facts: bytes, are_runs: bool) -> Stencil:
    return Stencil(facts, are_runs, lambda _: True)


def renamed(facts: bytes, texts, sequences=None) -> bytes:
    """The facts with each text and each sequence replaced by the results of these functions; without sequences, one row's facts."""
    return whole_stencil(facts, sequences is not None).copy(texts, sequences)
