"""Reads the small run of the store's tests with h5py alone and checks what it finds."""
import sys

import h5py
import numpy as np


def value_at(field, point, replicate, element):
    return (field * 7 + point * 31 + replicate * 101 + element * 3) % 251


with h5py.File(sys.argv[1], "r") as f:
    assert f.attrs["banzuke_schema"] == 1
    assert list(f["player"].asstr()) == ["Ābele", "将棋 bot", ""]
    assert list(f["point"].asstr()) == ["N=0", "N=100"]
    rating = f["records/rating"]
    assert rating.shape == (2, 40, 3) and rating.dtype == np.float64
    assert rating.attrs["units"] == b"Elo"
    assert [axis.keys()[0] for axis in rating.dims] != []
    assert rating.dims[2][0].name == "/player"
    assert rating.dims[1][0].name == "/replicate"
    assert f["setup/truth"].dims[0][0].name == "/player"
    status = f["records/status"]
    meanings = status.attrs["flag_meanings"].decode().split()
    assert meanings == ["missing", "ok", "unsolvable"]
    assert list(status.attrs["flag_values"]) == [0, 1, 2]
    done = status[1] != 0
    assert done.sum() == 20 and not (status[0] != 0).any()
    expected = [[value_at(0, 1, r, e) for e in range(3)] for r in range(20)]
    assert (rating[1][done] == expected).all()
    assert np.isnan(rating[1][~done]).all()
    assert f["provenance/config verbatim"].asstr()[()] == 'a = 1\nb = "ü"\n'

    def described(name, item):
        if isinstance(item, h5py.Dataset):
            assert "units" in item.attrs and "long_name" in item.attrs, name
            assert item.chunks is None, name

    f.visititems(described)
