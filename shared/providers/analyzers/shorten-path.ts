/**
 * Shortens a path of more than 75 characters and four parts to its first two and last two parts.
 */
export function shortenPath(path: string): string {
  const parts = path.split('/')
  if (path.length <= 75 || parts.length <= 4) return path
  return [...parts.slice(0, 2), '...', ...parts.slice(-2)].join('/')
}
