"""Prints a stand-in for measured speeds of T cells; see README.md."""

from scipy import stats

MEAN_UM_PER_MIN, SHAPE, SPEEDS, LAST = 11, 4, 10_000, 40

if __name__ == "__main__":
    gamma = stats.gamma(SHAPE, scale=MEAN_UM_PER_MIN / SHAPE)
    print("low,high,count")
    for low in range(LAST):
        print(f"{low},{low + 1},{round(SPEEDS * (gamma.cdf(low + 1) - gamma.cdf(low)))}")
