"""emq measured: beside its peers, beside the floor, and what people wait for. `make bench` runs it."""
