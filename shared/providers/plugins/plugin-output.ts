/**
 * Lines of a byte stream without their ends; a last line may lack its end, a long one comes in
 * pieces.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield withoutReturn(line)
    if (rest.length > longest) {
      yield rest
      rest = ''
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield withoutReturn(rest)
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** The last lines that were added, oldest first. */
export interface Tail {
  readonly add: (line: string) => void
  readonly listLines: () => readonly string[]
}

/** Keeps the last `count` lines. */
export function createTail(count: number): Tail {
  const kept: string[] = []
  return {
    add(line) {
      kept.push(line)
      if (kept.length > count) kept.shift()
    },
    listLines: () => [...kept],
  }
}

/** Lines as the end of a sentence; nothing when there are none. */
export function formatLastLines(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `; its last lines:\n${lines.map(line => `  ${line}`).join('\n')}`
}
