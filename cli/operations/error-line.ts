/**
 * Returns the first line of an error message, for use inside another message. A first line that
 * ends with a colon only introduces the error, so the second line is appended to it.
 */
export function errorLineOf(message: string): string {
  const [firstLine = '', secondLine = ''] = message.trim().split('\n')
  return firstLine.endsWith(':') ? `${firstLine} ${secondLine.trim()}`.trim() : firstLine
}
