"""Prints facts about binaries as a list of JSON objects: binary_facts.py FILE..."""

import hashlib
import json
import re
import struct
import sys

import lief

lief.logging.disable()


def elf_facts(binary):
    versions = {}
    for requirement in binary.symbols_version_requirement:
        for each in requirement.get_auxiliary_symbols():
            match = re.fullmatch(r"([A-Z_]+)_([0-9.]+)", each.name)
            prefix = match[1] if match else each.name
            number = [int(part) for part in match[2].split(".")] if match else []
            versions[prefix] = max(versions.get(prefix, []), number)
    local = lief.ELF.Symbol.BINDING.LOCAL
    hidden = (lief.ELF.Symbol.VISIBILITY.HIDDEN, lief.ELF.Symbol.VISIBILITY.INTERNAL)
    return {
        "format": "ELF",
        "architecture": binary.header.machine_type.name.lower(),
        "libraries": list(binary.libraries),
        "versions": versions,
        "exports": sorted(s.name for s in binary.dynamic_symbols if s.exported and s.visibility not in hidden),
        # Not lief's list of imports, which lacks functions without a type: those of the program that loads the addon.
        "imports": sorted(s.name for s in binary.dynamic_symbols if s.name and s.shndx == 0),
        "globals": sorted(s.name for s in binary.symtab_symbols if s.name and s.shndx != 0 and s.binding != local),
    }


def macho_facts(binary):
    version = binary.build_version
    own = [each.name for each in binary.libraries if each.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB]
    return {
        "format": "MachO",
        "architecture": binary.header.cpu_type.name.lower(),
        "name": "".join(own),
        "libraries": [each.name for each in binary.libraries if each.name not in own],
        "minimum": ".".join(str(part) for part in version.minos[:2]) if version else "",
        "system": version.platform.name.lower() if version else "",
        "exports": sorted(each.name for each in binary.exported_symbols),
        "imports": sorted(each.name for each in binary.imported_symbols),
        "globals": sorted(s.name for s in binary.symbols if s.raw_type & 1 and s.numberof_sections > 0),
    }


def signature_kind(signature, content):
    """
    How a file is signed. signature: its SuperBlob. Returns "none" without a code directory, "broken" if the file was
    changed after it was signed, "adhoc" if the code directory says so, and otherwise "signed".
    """
    magic, _, count = struct.unpack_from(">III", signature)
    for i in range(count if magic == 0xFADE0CC0 else 0):
        _, offset = struct.unpack_from(">II", signature, 12 + 8 * i)
        if struct.unpack_from(">I", signature, offset)[0] == 0xFADE0C02:
            directory = signature[offset:]
            is_adhoc = struct.unpack_from(">I", directory, 12)[0] & 2
            return "broken" if not fits(directory, content) else "adhoc" if is_adhoc else "signed"
    return "none"


def fits(directory, content):
    """Whether the code directory has the right SHA-256 for each page of the content before it."""
    hashes, _, _, count, limit, size, kind, _, page_log2 = struct.unpack_from(">IIIIIBBBB", directory, 16)
    page, is_sha256 = 1 << page_log2, (size, kind) == (32, 2)
    pages = [content[i : min(i + page, limit)] for i in range(0, limit, page)]
    wanted = [directory[hashes + 32 * i : hashes + 32 * (i + 1)] for i in range(count)]
    return is_sha256 and limit > 0 and wanted == [hashlib.sha256(each).digest() for each in pages]


def pe_facts(binary):
    imported = [*binary.imports, *binary.delay_imports]
    return {
        "format": "PE",
        "architecture": binary.header.machine.name.lower(),
        "libraries": sorted(each.name.lower() for each in imported),
        "imports": sorted(e.name for each in imported for e in each.entries),
        "exports": sorted(each.name for each in binary.get_export().entries) if binary.has_exports else [],
    }


def coff_facts(binary):
    """Facts of an object file for Windows. Pointers to variables in other objects (.refptr.NAME) have no name here."""
    external = lief.COFF.Symbol.STORAGE_CLASS.EXTERNAL
    return {
        "format": "COFF",
        "architecture": binary.header.machine.name.lower(),
        "globals": sorted(s.name for s in binary.symbols if s.name and s.storage_class == external and s.section_idx > 0),
    }


def dot_products(binary):
    """Counts the vector instructions sdot and udot, and smmla, in code for 64-bit ARM."""
    counts = {"dot": 0, "smmla": 0}
    for section in binary.sections:
        if section.name not in (".text", "__text"):
            continue
        content = bytes(section.content)
        for (word,) in struct.iter_unpack("<I", content[: len(content) // 4 * 4]):
            is_by_vector = word & 0x9FE0FC00 == 0x0E809400
            is_by_element = word & 0x9FC0F400 == 0x0F80E000
            counts["dot"] += is_by_vector or is_by_element
            counts["smmla"] += word & 0xFFE0FC00 == 0x4E80A400
    return counts


def facts_of(path, content):
    parsed = lief.parse(content)
    kinds = {
        lief.ELF.Binary: elf_facts,
        lief.MachO.Binary: macho_facts,
        lief.PE.Binary: pe_facts,
        lief.COFF.Binary: coff_facts,
    }
    found = kinds.get(type(parsed))
    if not found:
        return {"path": path, "format": "other", "bytes": len(content)}
    result = {"path": path, "bytes": len(content), **found(parsed)}
    if result["format"] == "MachO":
        signature = parsed.code_signature
        result["signature"] = signature_kind(bytes(signature.content), content) if signature else "none"
    if result["architecture"] in ("arm64", "aarch64"):
        result["instructions"] = dot_products(parsed)
    return result


def read(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    print(json.dumps([facts_of(path, read(path)) for path in sys.argv[1:]]))
