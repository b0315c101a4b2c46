#!/usr/bin/env python3
"""Computes the digest of a warehouse as docs/integrity.md defines it, without
the program: digest.py DATABASE docs/integrity.md [--tables]. The tables and
columns that are left out and the natural keys are read from the document."""
import hashlib
import re
import sqlite3
import struct
import sys


def keys(document):
    """The tables left out, and by column: whose key it is, the tables it counts in, the SQL expression."""
    text = open(document, encoding="utf-8").read()
    left_out = set(re.findall(r"`(\w+)`", re.search(r"^Tables left out: (.*)$", text, re.M)[1]))
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| `(.*)` \|$", text, re.M)
    return left_out, {column: (owner.strip("`"), re.findall(r"`(\w+)`", tables), sql.replace(r"\|", "|")) for column, owner, tables, sql in rows}


def value(v):
    match v:
        case int():
            return b"i", str(v).encode()
        case float():
            return b"r", struct.pack(">d", v).hex().encode()
        case str():
            return b"t", v.encode("utf-8", "surrogateescape")
    return b"b", v


def row_bytes(columns, values):
    parts = []
    for column, v in zip(columns, values):
        if v is not None:
            kind, content = value(v)
            parts.append(column.encode() + b"\0" + kind + str(len(content)).encode() + b":" + content)
    return b"".join(parts)


def main():
    database, document = sys.argv[1], sys.argv[2]
    left_out, natural = keys(document)
    c = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    c.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
    lines = []
    for (table,) in c.execute(r"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name").fetchall():
        if table in left_out:
            continue
        columns, terms = [], []
        for column in sorted(name for (name,) in c.execute(f"SELECT name FROM pragma_table_info('{table}')")):
            owner, tables, sql = natural.get(column, ("", [], ""))
            if not sql or tables and table not in tables:
                columns.append(column)
                terms.append(f't."{column}"')
            elif owner != table:
                columns.append(column)
                terms.append(sql)
        rows, total = 0, 0
        for values in c.execute(f"SELECT {', '.join(terms)} FROM {table} t"):
            rows += 1
            total += int.from_bytes(hashlib.shake_128(row_bytes(columns, values)).digest(512), "little")
        if rows:
            digest = hashlib.sha256(f"{table} {rows}\n".encode() + (total % 2**4096).to_bytes(512, "little")).hexdigest()
            lines.append(f"{table} {rows} {digest}\n")
    if "--tables" in sys.argv:
        print("".join(lines), end="")
    else:
        print(hashlib.sha256("".join(lines).encode()).hexdigest())


main()
