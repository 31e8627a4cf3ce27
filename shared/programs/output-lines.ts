/**
 * Hands each line of a byte stream to `line`, without its end; a last line without end too.
 * Resolves when the stream ends; a stream that breaks ends.
 */
export async function eachLine(
  stream: AsyncIterable<Uint8Array>,
  line: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  const take = (text: string): void => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) line(each.endsWith('\r') ? each.slice(0, -1) : each)
  }
  try {
    for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }))
  } catch {
    // A pipe that breaks says only that its writer is gone; the exit status tells how.
  }
  take(decoder.decode())
  if (rest !== '') line(rest)
}
