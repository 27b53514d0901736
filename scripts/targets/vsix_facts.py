"""Prints facts about a package and its files, as a JSON object: vsix_facts.py FILE."""

import hashlib
import json
import re
import stat
import sys
import zipfile

from binary_facts import facts_of

MAGIC = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"!<arch>")
SBOM = "extension/dist/sbom.cdx.json"
NOTICES = "extension/dist/NOTICES.txt"


def main(path):
    with zipfile.ZipFile(path) as package:
        files, binaries = [], []
        for entry in package.infolist():
            content = package.read(entry)  # checks the CRC
            files.append(
                {
                    "path": entry.filename,
                    "bytes": len(content),
                    "sha256": hashlib.sha256(content).hexdigest(),
                    "isLink": stat.S_ISLNK(entry.external_attr >> 16),
                }
            )
            if content.startswith(MAGIC):
                binaries.append(facts_of(entry.filename, content))
        manifest = package.read("extension.vsixmanifest").decode()
        identity = re.search(r"<Identity [^>]*>", manifest)[0]
        names = package.namelist()
        notices = package.read(NOTICES).decode() if NOTICES in names else ""
        sbom = json.loads(package.read(SBOM)) if SBOM in names else {"components": []}
    return {
        "files": files,
        "binaries": binaries,
        "identity": dict(re.findall(r'(\w+)="([^"]*)"', identity)),
        "components": sbom["components"],
        "notices": notices,
    }


print(json.dumps(main(sys.argv[1])))
