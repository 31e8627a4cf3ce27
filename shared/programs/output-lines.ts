/**
 * Passes each line of a byte stream to `onLine`, without its line end. An unterminated last line is
 * passed too. Resolves when the stream ends or breaks.
 */
export async function forEachLine(
  stream: AsyncIterable<Uint8Array>,
  onLine: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  let remainder = ''
  const acceptText = (text: string): void => {
    const lines = (remainder + text).split('\n')
    remainder = lines.pop() ?? ''
    for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
  try {
    for await (const bytes of stream) acceptText(decoder.decode(bytes, { stream: true }))
  } catch {
    // A broken pipe only shows that its writer has ended. The exit status gives the reason.
  }
  acceptText(decoder.decode())
  if (remainder !== '') onLine(remainder)
}
