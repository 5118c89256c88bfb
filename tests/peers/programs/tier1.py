# SPDX-License-Identifier: Apache-2.0
"""Small Triton kernels that together use the language: one feature or idiom each, cheap to replay.

    tests/peers/record --env 3.6.0 --out DIR tests/peers/programs/tier1.py [--only CASE]

Every launch is in bounds, so a recording can be replayed and compared. Triton 3.2 to 3.9; a case
that needs a newer front end, or an older one, says so.
"""
import tier1_control  # noqa: F401 (importing a file registers its cases)
import tier1_elementwise  # noqa: F401
import tier1_memory  # noqa: F401
import tier1_reductions  # noqa: F401
from calls import Calls
from cases import cases


def main():
    call = Calls(__doc__)
    for launch in cases:
        call(launch.__name__, launch)
    call.finish()


if __name__ == "__main__":
    main()
