"""The stored form of history facts (FactsCoding.swift), as far as copying customers needs it: texts and sequences renamed."""

import functools

VERSION = 1


def varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


class Tokens:
    """A row's or a run's facts in pieces: bytes as they are, texts, and the sequences of the rows of a run."""

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


@functools.lru_cache(maxsize=4096)
def pieces(facts: bytes, are_runs: bool) -> list:
    return Tokens(facts, are_runs).pieces


def renamed(facts: bytes, texts, sequences=None) -> bytes:
    """The facts with each text and each sequence as these functions give it; without sequences, the facts of one row."""
    found = []
    for piece in pieces(facts, sequences is not None):
        if isinstance(piece, str):
            text = texts(piece).encode()
            piece = varint(len(text) << 1 | 1) + text
        elif isinstance(piece, int):
            piece = varint((sequences(piece) * 2 + 1) << 1)
        found.append(piece)
    return b"".join(found)
