"""A llama-server with the arguments that Aside passes and the key in the environment, backed by llama.cpp's own server."""

import argparse
import os
import threading

import xllamacpp

parser = argparse.ArgumentParser(prog="llama-server")
parser.add_argument("--model", required=True)
parser.add_argument("--alias", default="")
parser.add_argument("--host", default="127.0.0.1")
parser.add_argument("--port", type=int, default=8080)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--threads-batch", type=int, default=1)
parser.add_argument("--ctx-size", type=int, default=4096)
parser.add_argument("--parallel", type=int, default=1)
given = parser.parse_args()

params = xllamacpp.CommonParams()
params.model.path = given.model
params.hostnames = [given.host]
params.port = given.port
params.n_ctx = given.ctx_size
params.n_parallel = given.parallel
params.cpuparams.n_threads = given.threads
params.cpuparams_batch.n_threads = given.threads_batch
params.endpoint_slots = True
if os.environ.get("LLAMA_API_KEY"):
    params.api_keys = [os.environ["LLAMA_API_KEY"]]
if given.alias:
    params.model_alias = {given.alias}
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)
threading.Event().wait()
