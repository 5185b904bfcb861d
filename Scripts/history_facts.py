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


class Stencil:
    """Facts of which many copies are made: what differs between them, and between that the bytes they share."""

    def __init__(self, facts: bytes, are_runs: bool, differs):
        """`differs` says of a text whether it is another one in a copy; the sequences of a run always are."""
        self.pieces: list = [b""]
        for piece in Tokens(facts, are_runs).pieces:
            if isinstance(piece, str) and not differs(piece):
                piece = text(piece)
            if isinstance(piece, bytes) and isinstance(self.pieces[-1], bytes):
                self.pieces[-1] += piece
            else:
                self.pieces.append(piece)

    def copy(self, texts, sequences=None) -> bytes:
        """The facts with each text that differs, and each sequence, as these functions give it."""
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
    """The facts with each text and each sequence as these functions give it; without sequences, the facts of one row."""
    return whole_stencil(facts, sequences is not None).copy(texts, sequences)
