#!/usr/bin/python3
"""Digest of a result file as docs/results.md defines it, with h5py alone.

digest.py FILE [REPLICATES]
"""
import hashlib
import sys

import h5py
import numpy as np

GROUPS = ("records", "setup", "identity", "provenance", "sessions")


def escaped(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def texts(dataset):
    return [str(text) for text in dataset.asstr()[...].ravel()]


def in_order(group):
    """Names of a group in order of creation (h5py lists a file's root by name)."""
    names = []
    group.id.links.iterate(lambda name: names.append(name.decode()), idx_type=h5py.h5.INDEX_CRT_ORDER)
    return names


def identity_lines(group):
    attributes = group.attrs
    yield "job", attributes["job"].decode()
    yield "job version", str(attributes["job_version"])
    yield "seed", attributes["seed"].decode()
    yield "stream algorithm", attributes["stream_algorithm"].decode()
    yield "stream version", str(attributes["stream_version"])
    for key, value in zip(texts(group["key"]), texts(group["value"])):
        yield "config " + key, value
    columns = [texts(group["input_" + name]) for name in ("key", "sha256", "bytes")]
    for key, sha256, size in zip(*columns):
        yield "input " + key, f"sha256 {sha256} of {size} bytes"


def layout_lines(file, replicates):
    for label in texts(file["point"]):
        yield "point", label
    yield "replicates", str(replicates)
    if "segment" in file:
        yield "segment", str(file["segment"].attrs["replicates_a_segment"])
    for name in in_order(file):
        if name in GROUPS + ("point", "replicate", "segment"):
            continue
        yield "dimension", f"{name} {file[name].shape[0]}"
        if file[name].dtype.kind == "S":
            for label in texts(file[name]):
                yield "label", label
    for name in fields(file):
        dataset = file["records"][name]
        dimension = dataset.attrs["dimensions"].decode().split()[2:]
        yield "field", " ".join([name, dataset.dtype.name] + dimension)
    for status in file["records/status"].attrs["flag_meanings"].decode().split():
        yield "status", status


def fields(file):
    return [name for name in in_order(file["records"]) if name != "status"]


def digest(file, replicates=None):
    if "segment" in file:
        axis = file["segment"].attrs
        replicates = replicates or int(axis["replicates"])
        rows = -(-replicates // int(axis["replicates_a_segment"]))
    else:
        replicates = rows = replicates or file["replicate"].shape[0]
    result = hashlib.sha256(b"banzuke digest 1\n")
    lines = list(identity_lines(file["identity"])) + list(layout_lines(file, replicates))
    for key, value in lines:
        result.update(f"{escaped(key)}: {escaped(value)}\n".encode())
    for point in range(file["point"].shape[0]):
        status = file["records/status"][point, :rows]
        result.update(status.tobytes())
        for name in fields(file):
            values = file["records"][name][point, :rows]
            fill = np.nan if values.dtype.kind == "f" else 0
            values[status == 0] = fill
            if values.dtype.kind == "f":
                values[np.isnan(values)] = np.nan
            result.update(values.tobytes())
    return result.hexdigest()


if __name__ == "__main__":
    with h5py.File(sys.argv[1], "r", locking=False) as opened:
        print(digest(opened, int(sys.argv[2]) if len(sys.argv) > 2 else None))
