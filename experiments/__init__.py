"""The paper's results, computed again with Kiln: a file per figure or topic. `./kiln paper` runs them. Findings of
others are in living/: `./kiln living`. `./kiln side-by-side` compares with another simulator."""
