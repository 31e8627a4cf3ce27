/**
 * Hands each line of a byte stream to `line`, without its end; a last line without end too.
 * Resolves when the stream ends; a stream that breaks ends.
 */
export async function forEachLine(
  stream: AsyncIterable<Uint8Array>,
  onLine: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  const acceptText = (text: string): void => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) onLine(each.endsWith('\r') ? each.slice(0, -1) : each)
  }
  try {
    for await (const bytes of stream) acceptText(decoder.decode(bytes, { stream: true }))
  } catch {
    // A pipe that breaks says only that its writer is gone; the exit status tells how.
  }
  acceptText(decoder.decode())
  if (rest !== '') onLine(rest)
}
