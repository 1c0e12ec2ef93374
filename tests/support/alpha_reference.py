"""Reference values of the Dirichlet prior, and the comparisons of a recovery table with them."""

import csv
import math

from harness import DATA


def rows(name):
    with open(DATA / "alpha" / f"{name}.csv", newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def number(row, name):
    return float(row[name])


def bias_off(row, reference, truth=None):
    """Difference of the relative biases in Monte Carlo errors of both runs; `truth` replaces the
    true alpha of the row."""
    bias = number(row, "mean_alpha") / (truth or number(row, "alpha")) - 1
    error = math.hypot(number(row, "relative_bias_error"),
                       number(reference, "rel_rmse") / math.sqrt(number(reference, "reps")))
    return (bias - number(reference, "rel_bias")) / error


def error_off(row, scale=1):
    """Mean standard error less the sd of log estimates, in Monte Carlo errors."""
    return ((scale * number(row, "mean_standard_error") - number(row, "sd_log_alpha"))
            / math.hypot(number(row, "sd_log_alpha_error"),
                         number(row, "mean_standard_error_error")))


def coverage_off(row, kind, level=0.95):
    """Coverage less its level, in units of the half-width of the 99 % binomial band."""
    half = 2.5758 * math.sqrt(level * (1 - level) / number(row, f"{kind}_coverage_of"))
    return (number(row, f"{kind}_coverage") - level) / half


def mean_error_ratio(row, reference):
    return number(row, "mean_standard_error") / number(reference, "mean_se_log")


def mean_error_tolerance(rule):
    """The games are drawn anew here, and 631 players differ by more than thousands do."""
    return 0.08 if rule == "3houT" else 0.05
