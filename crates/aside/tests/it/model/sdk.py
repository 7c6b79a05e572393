"""The official clients of OpenAI and Anthropic, at a server: `sdk.py BASE ORIGIN`. Prints one line for each thing tried.

The server's script has the answers in the same order; see `model_real.rs`.
"""

import sys

import anthropic
import openai

base, origin = sys.argv[1:]
chat = [{"role": "system", "content": "rules"}, {"role": "user", "content": "line"}]
patient = dict(api_key="k", max_retries=0, timeout=20)
one = openai.OpenAI(base_url=base, **patient)
two = anthropic.Anthropic(base_url=origin, **patient)


def tells(name, *facts):
    print(name, *facts, sep="\t", flush=True)


def fails(name, attempt):
    try:
        attempt()
        tells(name, "nothing went wrong")
    except Exception as error:
        after = getattr(getattr(error, "response", None), "headers", {}).get("retry-after", "-")
        tells(name, type(error).__name__, getattr(error, "status_code", "-"), after)


def words(stream):
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


said = one.chat.completions.create(model="m", messages=chat)
tells("openai whole", said.choices[0].message.content, said.choices[0].finish_reason, said.usage.completion_tokens)

stream = one.chat.completions.create(model="m", messages=chat, stream=True, stream_options={"include_usage": True})
chunks = list(stream)
text = words(chunks)
tells("openai stream", text, chunks[-2].choices[0].finish_reason, chunks[-1].usage.completion_tokens)

stream = one.chat.completions.create(model="m", messages=chat, stream=True, max_tokens=1)
tells("openai cut", [chunk.choices[0].finish_reason for chunk in stream if chunk.choices][-1])

said = one.chat.completions.create(model="m", messages=chat, n=3)
tells("openai several", *(choice.message.content for choice in said.choices))

stream = one.chat.completions.create(model="m", messages=chat, n=2, stream=True)
several = {}
for chunk in stream:
    for choice in chunk.choices:
        several[choice.index] = several.get(choice.index, "") + (choice.delta.content or "")
tells("openai several streamed", *(several[index] for index in sorted(several)))

stream = one.completions.create(model="m", prompt="git st", stream=True)
tells("openai plain", "".join(chunk.choices[0].text for chunk in stream if chunk.choices))

create = lambda **more: one.chat.completions.create(model="m", messages=chat, **more)
fails("openai 429", create)
fails("openai 500", create)
fails("openai 400", create)
fails("openai 401", create)
fails("openai drop", create)
fails("openai error in stream", lambda: list(create(stream=True)))
tells("openai models", *(model.id for model in one.models.list()))

asked = dict(model="m", max_tokens=9, system=[{"type": "text", "text": "rules"}], messages=[chat[1]])
said = two.messages.create(**asked)
tells("anthropic whole", said.content[0].text, said.stop_reason, said.usage.input_tokens, said.usage.output_tokens)

with two.messages.stream(**asked) as stream:
    text = "".join(stream.text_stream)
    last = stream.get_final_message()
tells("anthropic stream", text, last.stop_reason, last.usage.input_tokens, last.usage.output_tokens)

with two.messages.stream(**asked) as stream:
    tells("anthropic cut", stream.get_final_message().stop_reason)

fails("anthropic 429", lambda: two.messages.create(**asked))
fails("anthropic 529", lambda: two.messages.create(**asked))
fails("anthropic 404", lambda: two.messages.create(**asked))


def streams():
    with two.messages.stream(**asked) as stream:
        for _ in stream.text_stream:
            pass


fails("anthropic error in stream", streams)
tells("anthropic models", *(model.id for model in two.models.list()))
