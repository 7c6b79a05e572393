// The words around the changes in a streaming answer: a change is shown once, as what it does. Holds back what may still become part of
// one.

const NAME = /^[\s#>*+\-\d.)]*[*_`"']*(?:(?:new |updated )?file(?: ?name| ?path)?:?\s*)?[*_`"']*((?:[\w.~@-]+\/)*(?:[\w.@-]*\.[A-Za-z][\w+-]{0,11}|Makefile|Dockerfile|Justfile|README|LICENSE))[*_`"':]*\s*(?:\([^()]*\))?[*_`"':]*\s*$/i;
const OPENS = /^\s*<{3,}\s*(SEARCH|ORIGINAL|OLD|FIND|BEFORE)\b/i;
const CLOSES = /^\s*>{3,}\s*(REPLACE|UPDATED|NEW|AFTER|END)?\s*$/i;

/** `isWhole` once the answer is complete. Returns the words, and whether a change is being written at the end. */
export function around(text, isWhole) {
  const lines = text.split(/(?<=\n)/);
  const words = [];
  let isWriting = false;
  const change = () => {
    let last = words.length - 1;
    while (last >= 0 && !words[last].trim()) last -= 1;
    if (last >= 0 && NAME.test(words[last])) words.length = last;
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const fence = /^\s*(`{3,}|~{3,})([^`]*)$/.exec(line.trimEnd());
    isWriting = false;
    if (fence) {
      let end = at + 1;
      while (end < lines.length && !(lines[end].trim().startsWith(fence[1]) && /^[`~]+$/.test(lines[end].trim()))) end += 1;
      const isClosed = end < lines.length;
      const body = lines.slice(at + 1, end);
      const isFile = NAME.test(nameAbove(words)) || /[\s:=][\w./-]+\.\w+/.test(fence[2]);
      const isDiff = /^\s*(diff|patch|udiff|git-diff)\b/.test(fence[2]) || body.some((row, index) => OPENS.test(row) || row.startsWith("*** Begin Patch") || (row.startsWith("--- ") && body[index + 1]?.startsWith("+++ ")));
      const isChange = isFile || isDiff || (!isClosed && !isWhole);
      if (isChange) {
        change();
        isWriting = !isClosed;
      } else words.push(...lines.slice(at, end + 1));
      at = end + 1;
    } else if (OPENS.test(line) || line.startsWith("*** Begin Patch")) {
      const isEnd = OPENS.test(line) ? (row) => CLOSES.test(row) : (row) => row.startsWith("*** End Patch");
      let end = at + 1;
      while (end < lines.length && !isEnd(lines[end])) end += 1;
      change();
      isWriting = end >= lines.length;
      at = end + 1;
    } else if (line.startsWith("diff --git ") || (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ "))) {
      change();
      isWriting = true;
      at = lines.length;
    } else {
      words.push(line);
      at += 1;
    }
  }
  while (!isWhole && words.length && mayOpen(words.at(-1))) words.pop();
  return { words: words.join(""), isWriting: isWriting && !isWhole };
}

function nameAbove(words) {
  return words.findLast((line) => line.trim()) ?? "";
}

function mayOpen(line) {
  const isSentence = line.trim().split(/\s+/).length >= 6 && /^[\p{L}\p{N}]/u.test(line);
  return !line.trim() || /^(--- |diff |\*\*\* )/.test(line) || NAME.test(line) || (!line.endsWith("\n") && !isSentence);
}
