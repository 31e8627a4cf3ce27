/**
 * Yields the lines of a byte stream without their line ends. The last line may be unterminated. A
 * line is split when more than `charsMax` characters of it have arrived without a line end.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  charsMax: number,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let remainder = ''
  for await (const chunk of stream) {
    remainder += decoder.decode(chunk, { stream: true })
    const lines = remainder.split('\n')
    remainder = lines.pop() ?? ''
    for (const line of lines) yield stripCarriageReturn(line)
    if (remainder.length > charsMax) {
      yield remainder
      remainder = ''
    }
  }
  remainder += decoder.decode()
  if (remainder !== '') yield stripCarriageReturn(remainder)
}

function stripCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** The last added lines, oldest first. */
export interface Tail {
  readonly add: (line: string) => void
  readonly listLines: () => readonly string[]
}

/** Creates a buffer of the last `count` lines. */
export function createTail(count: number): Tail {
  const lines: string[] = []
  return {
    add(line) {
      lines.push(line)
      if (lines.length > count) lines.shift()
    },
    listLines: () => [...lines],
  }
}

/** Formats lines as the end of a message. Returns '' if there are none. */
export function formatLastLines(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `; its last lines:\n${lines.map(line => `  ${line}`).join('\n')}`
}
