/**
 * Yields the lines of a byte stream without their line ends. The last line may be unterminated, and
 * a long line is split.
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

/** The last added lines, oldest first. */
export interface Tail {
  readonly add: (line: string) => void
  readonly listLines: () => readonly string[]
}

/** Creates a buffer of the last `count` lines. */
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

/** Formats lines as the end of a message, '' without lines. */
export function formatLastLines(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `; its last lines:\n${lines.map(line => `  ${line}`).join('\n')}`
}
