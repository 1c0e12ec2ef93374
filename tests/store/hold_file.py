"""Holds a result file open for a while, as an interactive reader does."""
import pathlib
import sys
import time

import h5py

with h5py.File(sys.argv[1], "r"):
    pathlib.Path(sys.argv[1] + ".held").touch()
    time.sleep(0.4)
