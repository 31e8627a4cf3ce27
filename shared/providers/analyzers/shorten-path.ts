/**
 * Shortens a path with more than 75 characters and more than four parts. The first two and the last
 * two parts stay.
 */
export function shortenPath(path: string): string {
  const parts = path.split('/')
  if (path.length <= 75 || parts.length <= 4) return path
  return [...parts.slice(0, 2), '...', ...parts.slice(-2)].join('/')
}
