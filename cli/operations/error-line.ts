/**
 * Returns the first line of an error message, for a message of one line. A line that ends with a
 * colon only introduces the error, so the next line follows it.
 */
export function errorLineOf(message: string): string {
  const [firstLine = '', secondLine = ''] = message.trim().split('\n')
  return firstLine.endsWith(':') ? `${firstLine} ${secondLine.trim()}`.trim() : firstLine
}
