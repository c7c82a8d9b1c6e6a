"""Commands for those who work on emq. None of them is part of the package."""
