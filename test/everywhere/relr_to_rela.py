"""Writes a shared library's DT_RELR relocations as DT_RELA, for dynamic loaders that do not know the former: musl before
1.2.4, as Debian 12 has it. relr_to_rela.py LIBRARY... changes the files; those without DT_RELR stay as they are.

The new table goes to the end of the file, into a segment that takes the place of a header nobody needs at run time.
"""

import struct
import sys

PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_GNU_STACK, PT_GNU_PROPERTY = 1, 2, 4, 0x6474E551, 0x6474E553
DT_NULL, DT_RELA, DT_RELASZ, DT_RELACOUNT = 0, 7, 8, 0x6FFFFFF9
DT_RELRSZ, DT_RELR, DT_RELRENT = 0x23, 0x24, 0x25
DT_UNUSED = 0x6FFFFEF0
R_X86_64_RELATIVE = 8
PAGE = 0x1000
HEADER = struct.Struct("<IIQQQQQQ")  # type, flags, offset, address, physical address, file size, memory size, alignment


def places_of(words):
    """The addresses that a DT_RELR table stands for: an even word is one, an odd word a map of the 63 after the last."""
    where = 0
    for word in words:
        if word & 1 == 0:
            yield word
            where = word + 8
        else:
            yield from (where + 8 * bit for bit in range(63) if word >> (bit + 1) & 1)
            where += 63 * 8


def patched(data):
    """The file with DT_RELA alone; None if it has no DT_RELR."""
    (first_header,) = struct.unpack_from("<Q", data, 32)
    header_bytes, n_headers = struct.unpack_from("<HH", data, 54)
    headers = [list(HEADER.unpack_from(data, first_header + i * header_bytes)) for i in range(n_headers)]

    def offset(address):
        return next(h[2] + address - h[3] for h in headers if h[0] == PT_LOAD and h[3] <= address < h[3] + h[5])

    entries = []
    at = next(h[2] for h in headers if h[0] == PT_DYNAMIC)
    while not entries or entries[-1][1] != DT_NULL:
        entries.append((at, *struct.unpack_from("<QQ", data, at)))
        at += 16
    value = {tag: number for _, tag, number in entries}
    if DT_RELR not in value:
        return None

    n_words = value[DT_RELRSZ] // 8
    words = struct.unpack_from(f"<{n_words}Q", data, offset(value[DT_RELR]))
    relative = b"".join(
        struct.pack("<QQq", place, R_X86_64_RELATIVE, *struct.unpack_from("<q", data, offset(place)))
        for place in places_of(words)
    )
    old = offset(value[DT_RELA])
    table = relative + data[old : old + value[DT_RELASZ]]

    result = bytearray(data) + bytes(-len(data) % PAGE)
    file_offset = len(result)
    address = max(h[3] + h[6] for h in headers if h[0] == PT_LOAD)
    address += -address % PAGE
    result += table
    # Segments are in the order of their addresses, so the new one is the last.
    spare = [i for i, h in enumerate(headers) if h[0] in (PT_NOTE, PT_GNU_STACK, PT_GNU_PROPERTY)][-1]
    headers.pop(spare)
    headers.append([PT_LOAD, 4, file_offset, address, address, len(table), len(table), PAGE])
    for i, header in enumerate(headers):
        HEADER.pack_into(result, first_header + i * header_bytes, *header)
    count = len(relative) // 24
    changed = {
        DT_RELA: (DT_RELA, address),
        DT_RELASZ: (DT_RELASZ, len(table)),
        DT_RELACOUNT: (DT_RELACOUNT, value.get(DT_RELACOUNT, 0) + count),
        **{tag: (DT_UNUSED + tag - DT_RELRSZ, value[tag]) for tag in (DT_RELRSZ, DT_RELR, DT_RELRENT)},
    }
    for at, tag, _ in entries:
        if tag in changed:
            struct.pack_into("<QQ", result, at, *changed[tag])
    return result


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        new = patched(file.read())
    if new is not None:
        with open(path, "wb") as file:
            file.write(new)
